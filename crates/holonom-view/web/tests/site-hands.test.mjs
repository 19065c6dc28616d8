// Sliders of parameters, a video of the view, looking through bodies and without perspective.

import { readFile } from "node:fs/promises";
import { check, equal, notBlank } from "./lib/check.mjs";
import { drawn } from "./lib/pictures.mjs";

async function params(bench) {
  const site = await bench.site();
  const client = await bench.client(site, { at: "#scene=slider-crank" });
  await client.until(() => window.holonom.app.picture?.name === "slider-crank", "the scene of the address");
  await client.click("tab-inspect");
  const slider = (name) => client.page.locator(`[data-testid="param"][data-path="params.${name}"]`);
  await slider("r").waitFor();
  equal(await client.part("param").count(), 2, "sliders of parameters");
  equal(Number(await slider("r").inputValue()), 0.1, "the radius of the crank");
  const reach = () => client.page.evaluate(() => {
    const { picture } = window.holonom.app;
    return picture.joints.find((j) => j.name === "big-end").on_a.at[0];
  });
  const before = await reach();
  await slider("r").evaluate((s) => {
    s.value = "0.15";
    s.dispatchEvent(new Event("input", { bubbles: true }));
  });
  equal(await reach(), before, "the scene while the slider is held");
  await slider("r").evaluate((s) => s.dispatchEvent(new Event("change", { bubbles: true })));
  await client.until(() => window.holonom.app.picture.can_undo, "the scene with the other number");
  check(Math.abs((await reach()) - before - 0.05) < 1e-9, "the crank is not 5 cm longer");
  check((await client.ask({ about: "scene" })).text.includes("r = 0.15"), "the text of the scene");
  await client.page.locator("#view canvas").first().focus();
  await client.page.keyboard.press("Control+z");
  await client.until(() => window.holonom.app.picture.can_redo, "the change to be undone");
  await client.until(() => Number(document.querySelector('[data-testid="param"][data-path="params.r"]')?.value) === 0.1, "the slider to go back");

  // a number with which the parts do not fit is told, and nothing changes
  await slider("l").evaluate((s) => {
    s.min = "-1";
    s.value = "0";
    s.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await client.part("toast-error").first().waitFor();
  equal(await reach(), before, "the scene after a number that cannot be");

  // what a motor is told: twice as fast
  await client.openScene("four-bar");
  const motor = client.page.locator('[data-testid="param"][data-path="drive.motor.value"]');
  await motor.waitFor();
  await motor.evaluate((s) => {
    s.value = "12.5";
    s.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await client.until(() => window.holonom.app.picture.can_undo, "the scene with the faster motor");
  check(/value = 12\.5/.test((await client.ask({ about: "scene" })).text), "what the motor is told");
  await client.send({ do: "play" });
  await client.until(() => window.holonom.app.frame.time > 0.2, "the faster motor to run");
  await client.send({ do: "pause" });

  // a scene without parameters has no such list
  await client.openScene("pendulum");
  await client.until(() => document.querySelector('[data-testid="contents-search"]'), "the contents of the other scene");
  equal(await client.part("param").count(), 0, "sliders without parameters");
}

async function video(bench) {
  const site = await bench.site();
  const client = await bench.client(site, { at: "#scene=pendulum" });
  await client.click("downloads");
  await client.click("download-video");
  await client.send({ do: "play" });
  await client.until(() => window.holonom.app.frame.time > 0.7, "something to record");
  await client.part("recording").waitFor();
  const download = client.page.waitForEvent("download");
  await client.click("video-stop");
  const file = await download;
  check(/^pendulum\.(webm|mp4)$/.test(file.suggestedFilename()), () => `the name ${file.suggestedFilename()}`);
  const bytes = await readFile(await file.path());
  check(bytes.length > 2000, () => `a video of ${bytes.length} bytes`);
  check(bytes.subarray(0, 4).equals(Buffer.from([0x1a, 0x45, 0xdf, 0xa3])) || bytes.subarray(4, 8).toString() === "ftyp", "the beginning of a video file");
  equal(await client.part("recording").count(), 0, "the sign, after the end");
  bench.note(`${(bytes.length / 1000).toFixed(0)} kB`);
}

async function sight(bench) {
  const site = await bench.site();
  for (const way of ["plain", "full"]) {
    const client = await bench.client(site, { at: `?graphics=${way}#scene=wall-100` });
    await client.until(() => window.holonom.app.picture?.name === "wall-100", "the scene of the address");
    const width = (name) => client.page.evaluate((name) => {
      // how wide a brick of 1 m is seen
      const { app, view } = window.holonom;
      const k = app.picture.bodies.findIndex((b) => b.name === name);
      const [x, y, z] = app.frame.parts.poses.data.subarray(7 * k, 7 * k + 3);
      return Math.abs(view.project([x + 0.5, y, z]).x - view.project([x - 0.5, y, z]).x);
    }, name);
    await drawn(client); // the camera has found its place
    // seen along the wall, near bricks are larger than far ones
    await client.page.evaluate(() => {
      window.holonom.view.look("front");
      window.holonom.view.camera.orbit(-0.9, 0.1);
      window.holonom.view.fit(false);
    });
    await drawn(client);
    const [near, far] = [await width("brick 1"), await width("brick 10")];
    check(Math.abs(near / far - 1) > 0.1, () => `with perspective bricks are ${near} and ${far} px wide`);
    await client.page.locator("#view canvas").first().focus();
    await client.page.keyboard.press("5");
    await drawn(client);
    const [one, ten] = [await width("brick 1"), await width("brick 10")];
    check(Math.abs(one / ten - 1) < 0.02, () => `without perspective bricks are ${one} and ${ten} px wide`);
    await notBlank(client, `without perspective, ${way}`);
    await client.aim("brick 95", [0, 0, 0]);
    // through the first course one sees nothing but other bricks and the ground: colours mix
    const before = await client.page.locator("#view canvas").first().screenshot();
    await client.page.evaluate(() => window.holonom.app.show({ transparent: true }));
    await drawn(client);
    const after = await client.page.locator("#view canvas").first().screenshot();
    check(!before.equals(after), "bodies that are transparent look as before");
    await client.shot(`sight-${way}`);
    await client.page.evaluate(() => window.holonom.app.show({ transparent: false, parallel: false }));
    await drawn(client);
    check(Math.abs((await width("brick 1")) - near) < 0.5, "perspective comes back");
  }
}

export default [
  { name: "parameters have sliders", run: params },
  { name: "a video of the view", run: video },
  { name: "through bodies, and without perspective", run: sight },
];
