// Dragging with the mouse, with fingers, and with keys alone.

import { check, distance, length, minus } from "./lib/check.mjs";

const BALL = [0, 0, 0];

/** Drag the ball of the rope by so many pixels, and keep the frames from then on. It is taken hold of at rest, which is easier to aim at; then time goes on. */
async function dragBall(client, dx, dy) {
  const start = await client.seize("ball", BALL);
  await client.record();
  await client.page.keyboard.press(" ");
  await client.until(() => window.holonom.app.frame.playing, "time to go on");
  await client.page.mouse.move(start.x + dx, start.y + dy, { steps: 12 });
}

async function follows(bench) {
  const program = await bench.program("rope");
  const client = await bench.client(program);
  await dragBall(client, -90, -70);
  await client.until(() => {
    const [hand] = window.holonom.app.frame.hands;
    return hand && Math.hypot(...hand.at.map((x, i) => x - hand.to[i])) < 0.01;
  }, "the ball to come to the hand");
  const frames = await client.recorded();
  for (const { hands, gap, time } of frames) {
    check(gap <= 1e-8, `gap ${gap} at ${time} s`);
    for (const { force, cap } of hands) check(length(force) <= cap * (1 + 1e-9), `force ${force} beyond the cap ${cap} at ${time} s`);
  }
  const [held] = await client.hands();
  check(distance(held.at, (await client.pose("ball")).at) < 0.25, "the hand holds the ball");
  await client.shot("drag");
  // let go in motion: nothing jumps
  await client.record();
  await client.page.mouse.up();
  await client.until(() => window.holonom.app.frame.hands.length === 0, "the hand to let go");
  await client.frames(10);
  for (const { gap } of await client.recorded()) check(gap <= 1e-8, `gap ${gap} after letting go`);
  bench.note(`${frames.length} frames, cap ${held.cap} N`);
}

async function weak(bench) {
  const program = await bench.program("rope");
  const client = await bench.client(program);
  // 20 kg weigh 196 N: a hand of 50 N lifts nothing
  await client.page.evaluate(() => {
    window.holonom.app.cap = 50;
    window.holonom.app.emit("touch", undefined);
  });
  await dragBall(client, 0, -150);
  await client.until(() => window.holonom.app.frame.hands.some((h) => Math.hypot(...h.force) > 0.99 * h.cap), "the hand to pull with all it has");
  const before = (await client.pose("ball")).at[2];
  await client.frames(30);
  const frames = await client.recorded();
  for (const { hands } of frames) {
    for (const { force, cap } of hands) {
      check(cap === 50, `cap ${cap}`);
      check(length(force) <= 50 * (1 + 1e-9), `force ${length(force)} N`);
    }
  }
  const [hand] = await client.hands();
  check(minus(hand.to, hand.at)[2] > 0.3, () => `the ball followed: ${JSON.stringify(hand)}`);
  bench.note(`ball at ${before.toFixed(2)} m, pulled to ${hand.to[2].toFixed(2)} m with ${length(hand.force).toFixed(3)} N`);
  await client.page.mouse.up();
}

async function fingers(bench) {
  const program = await bench.program("rope");
  const client = await bench.client(program, { touch: true, width: 400, height: 800 });
  const { x, y } = await client.aim("ball", BALL);
  const touch = await client.context.newCDPSession(client.page);
  const send = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await send("touchStart", [{ x, y }]);
  await client.until(() => window.holonom.app.frame.hands.some((h) => h.body === "ball"), "a hand on the ball");
  await client.send({ do: "play" });
  for (let k = 1; k <= 8; k++) await send("touchMove", [{ x: x - 6 * k, y: y - 5 * k }]);
  await client.until(() => {
    const [hand] = window.holonom.app.frame.hands;
    return hand && Math.hypot(...hand.at.map((x, i) => x - hand.to[i])) < 0.02;
  }, "the ball to come to the finger");
  await send("touchEnd", []);
  await client.until(() => window.holonom.app.frame.hands.length === 0, "the finger to let go");
}

async function keys(bench) {
  const program = await bench.program("double-pendulum");
  const client = await bench.client(program);
  const press = (key) => client.page.keyboard.press(key);
  await press(" ");
  await client.until(() => window.holonom.app.frame.playing && window.holonom.app.frame.tick > 10, "the space bar to play");
  await press(" ");
  await client.until(() => !window.holonom.app.frame.playing, "the space bar to pause");
  const { tick } = await client.frame();
  await press(".");
  await client.until((tick) => window.holonom.app.frame.tick === tick + 1, "one step", tick);
  for (const [key, tool] of [["p", "push"], ["t", "twist"], ["j", "jog"], ["b", "build"], ["d", "drag"]]) {
    await press(key);
    await client.until((tool) => window.holonom.app.tool === tool, `the tool ${tool}`, tool);
  }
  await press("Home");
  await client.until(() => window.holonom.app.frame.time === 0, "the start again");
}

export default [
  { name: "a dragged body follows within the cap", run: follows },
  { name: "a weak hand does not lift a heavy ball", run: weak },
  { name: "a finger drags", run: fingers },
  { name: "keys alone", run: keys },
];
