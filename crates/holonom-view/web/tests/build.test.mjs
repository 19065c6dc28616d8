// A four-bar is built by hand from the palette, runs, is changed, undone, saved, and moves the same without the page.

import { join } from "node:path";
import { check, distance, equal, place } from "./lib/check.mjs";
import { command, withFolder } from "./lib/program.mjs";

/** Ends of the links, on a grid of 0.1 m; Grashof, so that the crank goes round. */
const [A, B, C, D] = [[0, 0, 0], [0, 0, 0.2], [0.5, 0, 0.5], [0.6, 0, 0]];

async function until(client, bodies, joints) {
  await client.until(
    ([bodies, joints]) => {
      const { picture, frame } = window.holonom.app;
      return picture.bodies.length === bodies && picture.joints.length === joints && frame.revision === picture.revision && !frame.activity;
    },
    `${bodies} bodies and ${joints} joints`,
    [bodies, joints],
  );
}

async function press(client, at) {
  await client.still();
  const { x, y } = await client.project(at);
  await client.page.mouse.click(x, y);
}

/** Draw a line from a point that is there to a place, or to another such point. */
async function draw(client, from, to, there = [from]) {
  await client.still();
  for (const point of there) {
    await client.until(
      (point) => {
        const { x, y } = window.holonom.view.project(point);
        return window.holonom.view.snap(x, y) !== null;
      },
      `a point to join at ${point}`,
      point,
    );
  }
  const [a, b] = [await client.project(from), await client.project(to)];
  await client.page.mouse.move(a.x, a.y);
  await client.page.mouse.down();
  await client.page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2);
  await client.page.mouse.move(b.x, b.y);
  await client.page.mouse.up();
}

async function fourBar(bench) {
  const program = await bench.program();
  const client = await bench.client(program);
  await client.part("gallery-new").click();
  await client.until(() => window.holonom.app.picture.bodies.length === 0 && window.holonom.app.tool === "build", "an empty scene");
  await client.part("build-grid").selectOption("0.1");

  await client.click("build-tool-pin");
  for (const at of [A, D]) await press(client, at);
  await client.until(() => window.holonom.app.picture.ground_points.length === 2, "two points of the ground");
  await client.click("build-tool-rod");
  await draw(client, A, B);
  await until(client, 1, 1);
  await draw(client, B, C);
  await until(client, 2, 2);
  await draw(client, C, D, [C, D]);
  await until(client, 3, 4);
  await client.shot("build");

  const { bodies, joints } = await client.picture();
  equal(joints.map((j) => j.kind), Array(4).fill("revolute"), "kinds of joints");
  const doctor = await client.ask({ about: "doctor" });
  equal([doctor.loops, doctor.mobility], [1, 1], "loops and mobility");

  // a motor on the crank's hinge, half a turn a second
  const hinge = joints.find((j) => j.a === -1 && j.b === 0).name;
  await client.page.evaluate((name) => window.holonom.app.select({ kind: "joint", name }), hinge);
  await client.click("tab-inspect");
  await client.click("edit-motor-speed");
  await client.until(() => window.holonom.app.picture.joints.some((j) => j.drive), "a motor");
  const drive = (await client.picture()).joints.find((j) => j.drive).name;
  await client.page.evaluate((name) => window.holonom.app.select({ kind: "joint", name }), drive);
  const field = client.page.locator(`[data-testid="edit-field"][data-path="drive.${drive}.value"] [data-testid="edit-input"]`).first();
  await field.fill("3");
  await field.press("Enter");
  await client.until((drive) => window.holonom.app.picture.can_undo, "a change that can be undone", drive);
  await client.shot("build-motor");

  // undone and done again: the same scene
  const text = () => client.context.request.get(new URL("/files/scene.toml", client.page.url()).href).then((r) => r.text());
  await client.until(async () => JSON.stringify(await window.holonom.app.ask({ about: "scene" })).includes("3"), "the new speed");
  const before = await text();
  await client.click("tab-build");
  await client.click("build-undo");
  await client.until(() => window.holonom.app.picture.can_redo, "something to do again");
  check((await text()) !== before, "undo changes the scene");
  await client.click("build-redo");
  await client.until(() => !window.holonom.app.picture.can_redo, "it to be done again");
  equal(await text(), before, "the scene after undo and redo");

  await client.part("method").selectOption("accurate");
  await client.click("play");
  await client.until(() => window.holonom.app.frame.time > 0.4, "it to run");
  await client.click("pause");
  await client.until(() => !window.holonom.app.frame.playing, "a pause");
  const frame = await client.frame();
  check(frame.gap <= 1e-8 && frame.stopped === null, `gap ${frame.gap}, ${frame.stopped}`);

  await withFolder(async (folder) => {
    const file = join(folder, "four-bar.toml");
    const saved = client.page.waitForEvent("download");
    await client.click("build-save");
    await (await saved).saveAs(file);
    const { code, stdout, stderr } = await command(["run", file, "--time", String(frame.time), "--json"]);
    check(code === 0, `holonom run ended with ${code}:\n${stdout}${stderr}`);
    const { final } = JSON.parse(stdout.trim().split("\n").at(-1));
    let worst = 0;
    for (const { name, centre } of bodies) {
      const here = place(await client.pose(name), centre);
      worst = Math.max(worst, distance(here, final.bodies[name].com));
    }
    // frames carry 32-bit numbers
    check(worst < 1e-6, `bodies are up to ${worst} m apart without the page`);
    const checked = await command(["check", file, "--json"]);
    equal(checked.code, 0, "holonom check");
    bench.note(`at ${frame.time.toFixed(3)} s the bodies are within ${worst.toExponential(1)} m of the run without the page`);
  });
}

/** The first coordinate of a cylindrical joint is a length: a motor on it moves at 0.1 m/s, and its field is in m/s. */
async function slidingMotor(bench) {
  const program = await bench.program();
  const client = await bench.client(program);
  const text = '[body.p]\nshape = { kind = "box", size = [0.2, 0.1, 0.1] }\ndensity = 500\n\n[joint.slide]\nkind = "cylindrical"\nb = "p"\naxis = [1, 0, 0]\n';
  await client.send({ do: "open-text", name: "slide.toml", text });
  await client.until(() => window.holonom.app.picture.joints.length === 1, "the joint");
  await client.page.evaluate(() => window.holonom.app.select({ kind: "joint", name: "slide" }));
  await client.click("tab-inspect");
  await client.click("edit-motor-speed");
  await client.until(() => window.holonom.app.picture.joints.some((j) => j.drive), "a motor");
  const drive = (await client.picture()).joints.find((j) => j.drive).name;
  await client.page.evaluate((name) => window.holonom.app.select({ kind: "joint", name }), drive);
  const line = client.page.locator(`[data-testid="edit-field"][data-path="drive.${drive}.value"]`).first();
  equal(await line.locator('[data-testid="edit-input"]').inputValue(), "0.1", "speed of the motor");
  equal(await line.locator(".build-unit").textContent(), "m/s", "its unit");
  await client.shot("build-slide");
}

export default [
  { name: "a four-bar from the palette, run again without the page", run: fourBar },
  { name: "a motor fits the coordinate that it drives", run: slidingMotor },
];
