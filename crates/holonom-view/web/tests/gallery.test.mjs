// Every scene of the gallery can be opened, is seen, and moves (or rests, where nothing moves it) with its joints closed.

import { check, notBlank } from "./lib/check.mjs";

/** Scenes whose joints start open, and are pulled together in time. */
const OPEN = ["assembly"];

/** Scenes that rest until somebody pulls. */
const RESTING = ["parallelogram"];

async function every(bench) {
  const program = await bench.program();
  const client = await bench.client(program);
  const { scenes } = await client.ask({ about: "gallery" });
  const names = scenes.map((s) => s.name);
  check(names.length >= 48 && names.includes("pendulum"), () => `the gallery has ${names}`);
  let worst = 0;
  for (const name of names) {
    await client.openScene(name);
    const picture = await client.picture();
    check(picture.bodies.length > 0, `${name}: no bodies`);
    check(picture.title.length > 0 && picture.revision > 0, `${name}: no title`);
    await client.send({ do: "play" });
    await client.until(() => window.holonom.app.frame.playing && window.holonom.app.frame.time > 0.05, `${name}: time to go on`);
    const frame = await client.frame();
    check(frame.stopped === null, `${name}: stopped: ${frame.stopped}`);
    if (!OPEN.includes(name)) {
      check(frame.gap <= 1e-8, `${name}: gap ${frame.gap}`);
      worst = Math.max(worst, frame.gap);
    }
    if (!RESTING.includes(name)) check(frame.kinetic > 0, `${name}: nothing moves`);
    await notBlank(client, name);
    await client.shot(`gallery-${name}`);
  }
  bench.note(`${names.length} scenes, largest gap ${worst.toExponential(1)}`);
}

export default [{ name: "every scene is seen and moves", run: every, limit: 420_000 }];
