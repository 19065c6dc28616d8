// Several pages at one program: hands at once, pages that vanish, programs that come back; and what was done together, replayed alone.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { check, equal, length } from "./lib/check.mjs";
import { command, withFolder } from "./lib/program.mjs";

/** The log of inputs, replayed without a page: it must come to the hash that it names. */
async function replays(client, bench) {
  const log = await client.context.request.get(new URL("/files/inputs.jsonl", client.page.url()).href);
  check(log.ok(), `the log of inputs: ${log.status()}`);
  const text = await log.text();
  const heading = JSON.parse(text.split("\n")[0]);
  check(/^[0-9a-f]{16}$/.test(heading.hash), `the heading ${text.split("\n")[0].slice(0, 200)}`);
  await withFolder(async (folder) => {
    const file = join(folder, "inputs.jsonl");
    await writeFile(file, text);
    const { code, stdout, stderr } = await command(["replay", file, "--json"]);
    check(code === 0, `holonom replay ended with ${code}:\n${stdout}${stderr}`);
    const answer = JSON.parse(stdout.trim().split("\n").at(-1));
    equal(answer.hash, heading.hash, "the hash of the replay");
  });
  bench.note(`${text.trim().split("\n").length - 1} inputs over ${heading.end} ticks replayed to ${heading.hash}`);
}

async function two(bench) {
  const program = await bench.program("ring-40");
  const clients = [await bench.client(program), await bench.client(program)];
  const links = ["link/1", "link/21"];
  const starts = [];
  for (const [k, client] of clients.entries()) starts.push(await client.seize(links[k], [0.05, 0, 0]));
  await clients[0].record();
  await clients[0].page.keyboard.press(" ");
  await clients[1].until(() => window.holonom.app.frame.playing, "the other page to play as well");
  for (let k = 1; k <= 10; k++) {
    for (const [i, client] of clients.entries()) {
      const way = i === 0 ? -12 : 12;
      await client.page.mouse.move(starts[i].x + way * k, starts[i].y - 4 * k);
    }
  }
  await clients[0].until(
    () => {
      const { hands } = window.holonom.app.frame;
      return hands.length === 2 && hands.every((h) => Math.hypot(...h.at.map((x, i) => x - h.to[i])) < 0.02);
    },
    "both hands to have what they pull",
  );
  const frames = await clients[0].recorded();
  equal([...new Set(frames.at(-1).hands.map((h) => h.body))].sort(), [...links].sort(), "what is held");
  check(new Set(frames.at(-1).hands.map((h) => h.client)).size === 2, "held by two");
  check(frames.at(-1).clients === 2, "two clients");
  for (const { hands, gap } of frames) {
    check(gap <= 1e-8, `gap ${gap}`);
    for (const { force, cap } of hands) check(length(force) <= cap * (1 + 1e-9), `force ${force}, cap ${cap}`);
  }
  await clients[1].shot("two-hands");
  for (const client of clients) await client.page.mouse.up();
  await clients[0].until(() => window.holonom.app.frame.hands.length === 0, "both to let go");
  await clients[0].click("pause");
  await clients[0].until(() => !window.holonom.app.frame.playing, "a pause");
  await replays(clients[0], bench);
}

async function vanished(bench) {
  const program = await bench.program("ring-40");
  const [stays, goes] = [await bench.client(program), await bench.client(program)];
  // one that closes its page while it holds something
  await goes.seize("link/1", [0.05, 0, 0]);
  await stays.until(() => window.holonom.app.frame.hands.length === 1, "the other's hand");
  await goes.close();
  await stays.until(() => window.holonom.app.frame.hands.length === 0, "the vanished hand to let go");

  // one that stays connected but says nothing any more, as behind a cable that was pulled
  await stays.page.evaluate(() => {
    window.holonom.app.on("frame", (f) => window.epochs?.push([performance.timeOrigin + performance.now(), f.hands.length]));
  });
  for (let attempt = 1; ; attempt++) {
    await stays.send({ do: "reset" });
    await stays.send({ do: "pause" });
    const silent = await bench.client(program);
    await silent.seize("link/1", [0.05, 0, 0]);
    await stays.page.evaluate(() => (window.epochs = []));
    await stays.send({ do: "play" });
    await stays.until(() => window.epochs.length > 5 && window.holonom.app.frame.hands.length === 1, "the other's hand");
    const quietFrom = await silent.page.evaluate(() => {
      WebSocket.prototype.send = () => {};
      return performance.timeOrigin + performance.now();
    });
    await stays.until(() => window.holonom.app.frame.hands.length === 0, "the silent hand to let go");
    const epochs = await stays.page.evaluate(() => window.epochs);
    await silent.close();
    const after = epochs.filter(([at]) => at >= quietFrom);
    // a hand that a busy machine had lost before says nothing about silence
    if (after.length === 0 || after[0][1] === 0) {
      check(attempt < 8, "the hand is lost again and again: the machine is too busy");
      continue;
    }
    const free = after.findIndex(([, hands]) => hands === 0);
    // a page that stalled is given its frames all at once: what it saw is as uncertain as the longest pause was
    const times = [quietFrom, ...after.slice(0, free + 1).map(([at]) => at)];
    const blur = Math.max(...times.slice(1).map((t, k) => t - times[k]));
    const took = after[free][0] - quietFrom;
    check(took <= 250 + blur, `let go after ${took} ms, with ${blur} ms between frames`);
    bench.note(`let go after ${took.toFixed(0)} ms, seen to ${blur.toFixed(0)} ms`);
    return;
  }
}

async function comesBack(bench) {
  await withFolder(async (folder) => {
    const env = { XDG_RUNTIME_DIR: folder };
    const probe = await bench.program("pendulum", { env });
    const port = probe.port;
    await probe.stop();
    const first = await bench.program("pendulum", { port, env });
    const client = await bench.client(first);
    // a refused connection is what this is about
    client.expected.push(/WebSocket connection to .* failed/, /ERR_CONNECTION_REFUSED/, /ERR_CONNECTION_RESET/, /ERR_EMPTY_RESPONSE/, /ERR_ABORTED/);
    await client.click("play");
    await client.until(() => window.holonom.app.frame.tick > 20, "time to go on");
    await first.kill();
    await client.until(() => window.holonom.app.connection !== "open", "the loss to be noticed");
    await client.part("connection-banner").waitFor();
    await client.shot("lost");
    await bench.program("pendulum", { port, env });
    await client.until(() => window.holonom.app.connection === "open" && window.holonom.app.frame.time === 0, "the page to come back by itself");
    await client.part("connection-banner").waitFor({ state: "hidden" });
    await client.click("play");
    await client.until(() => window.holonom.app.frame.tick > 5, "time to go on again");
  });
}

async function stops(bench) {
  const program = await bench.program("pendulum");
  const client = await bench.client(program);
  client.expected.push(/WebSocket connection to .* failed/, /ERR_CONNECTION_REFUSED/, /ERR_CONNECTION_RESET/, /ERR_EMPTY_RESPONSE/, /ERR_ABORTED/);
  equal(await program.stop(), 0, "exit code after Ctrl-C");
  await client.until(() => window.holonom.app.connection !== "open", "the page to notice");
}

export default [
  { name: "two pages drag at once, and the log replays", run: two },
  { name: "who vanishes lets go", run: vanished },
  { name: "the page finds its program again", run: comesBack },
  { name: "Ctrl-C stops it cleanly", run: stops },
];
