// Play, pause, single steps, going back, and going on from there.

import { check, equal } from "./lib/check.mjs";

/** Keep poses by tick in the page. */
async function keepPoses(client) {
  await client.page.evaluate(() => {
    window.poses = new Map();
    window.holonom.app.on("frame", (frame) => window.poses.set(frame.tick, Array.from(frame.parts.poses.data)));
  });
}

const posesAt = (client, tick) => client.page.evaluate((tick) => window.poses.get(tick), tick);

async function backAndOn(bench) {
  const program = await bench.program("double-pendulum");
  const client = await bench.client(program);
  await keepPoses(client);
  await client.click("play");
  await client.until(() => window.holonom.app.frame.time > 1, "a second");
  await client.click("pause");
  await client.until(() => !window.holonom.app.frame.playing, "a pause");
  const end = await client.frame();
  const last = await posesAt(client, end.tick);

  await client.click("step");
  await client.until((tick) => window.holonom.app.frame.tick === tick + 1, "one step", end.tick);
  const stepped = await client.frame();
  const tick = (await client.picture()).tick;
  check(Math.abs(stepped.time - end.time - tick) < 1e-9, `a step of ${stepped.time - end.time} s, a tick is ${tick} s`);

  // back to the middle
  equal(stepped.recorded[1], stepped.tick, "everything is recorded");
  const middle = Math.round((stepped.recorded[0] + stepped.recorded[1]) / 2);
  await client.part("scrub").fill(String(middle));
  await client.until(() => window.holonom.app.frame.past, "the past");
  const past = await client.frame();
  check(past.tick <= middle && past.tick > 0 && !past.playing, () => `shown is tick ${past.tick}, wanted was ${middle}`);
  check(Math.abs(past.time - past.tick * tick) < 1e-9, `tick ${past.tick} at ${past.time} s`);
  await client.part("past").waitFor();
  await client.shot("scrub");

  // on from there: to the tick of the first pause, which must look the same to the last bit
  await client.page.evaluate(() => window.poses.clear());
  await client.click("play");
  await client.until((tick) => window.holonom.app.frame.playing && window.holonom.app.frame.tick > tick, "time to go on", past.tick);
  await client.click("pause");
  await client.until(() => !window.holonom.app.frame.playing, "a pause");
  const resumed = await client.frame();
  check(!resumed.past, "the present again");
  equal(resumed.recorded[1], resumed.tick, "what came after it is forgotten");
  check(resumed.tick < end.tick, `paused too late: ${resumed.tick}`);
  await client.send({ do: "step", ticks: end.tick - resumed.tick });
  await client.until((tick) => window.holonom.app.frame.tick === tick, "the same tick again", end.tick);
  equal(await posesAt(client, end.tick), last, "poses of the same tick");

  await client.click("reset");
  await client.until(() => window.holonom.app.frame.time === 0, "the start");
}

async function speeds(bench) {
  const program = await bench.program("double-pendulum");
  const client = await bench.client(program);
  await client.part("speed").selectOption("0.1");
  await client.click("play");
  await client.until(() => window.holonom.app.frame.speed === 0.1 && window.holonom.app.frame.time > 0.05, "slow motion");
  const frames = await client.frames(60);
  const [first, end] = [frames[0], frames.at(-1)];
  const speed = (1000 * (end.time - first.time)) / (end.at - first.at);
  check(speed > 0.08 && speed < 0.12, `0.1 was asked for, ${speed} it is`);
  bench.note(`0.1 asked, ${speed.toFixed(3)} reached`);
}

export default [
  { name: "pause, step, back, and on from there", run: backAndOn },
  { name: "slow motion", run: speeds },
];
