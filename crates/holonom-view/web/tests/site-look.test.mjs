// What is drawn: with the lights that graphics hardware gets and without, in windows of all shapes, and signs of joints only where they are asked for.

import { check, equal, notBlank } from "./lib/check.mjs";
import { drawn } from "./lib/pictures.mjs";

/** The part of the view's pixels in which two screenshots of it differ. */
async function difference(client, a, b) {
  const helper = await client.context.newPage();
  try {
    return await helper.evaluate(async (pictures) => {
      const [p, q] = await Promise.all(pictures.map(async (base64) => {
        const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/png" }));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      }));
      let differ = 0;
      for (let i = 0; i < p.length; i += 4) differ += Math.abs(p[i] - q[i]) + Math.abs(p[i + 1] - q[i + 1]) + Math.abs(p[i + 2] - q[i + 2]) > 12 ? 1 : 0;
      return differ / (p.length / 4);
    }, [a, b].map((png) => png.toString("base64")));
  } finally {
    await helper.close();
  }
}

async function graphics(bench) {
  const site = await bench.site();
  const seen = {};
  for (const way of ["full", "plain"]) {
    const client = await bench.client(site, { at: `?graphics=${way}#scene=crane`, shadows: true });
    const picture = async () => {
      await drawn(client);
      return client.page.locator("#view canvas").first().screenshot();
    };
    for (const name of ["tinkertoys", "surles-protein", "wall-100", "crane"]) {
      await client.openScene(name);
      await client.send({ do: "step", ticks: 4 });
      await client.until(() => window.holonom.app.frame.time > 0, "a step");
      await drawn(client);
      await notBlank(client, `${name}, ${way}`);
      await client.shot(`look-${way}-${name}`);
    }
    seen[way] = await picture();
    // shadows are there, and go
    await client.page.evaluate(() => window.holonom.app.show({ shadows: false }));
    const shadows = await difference(client, seen[way], await picture());
    check(shadows > 0.002 && shadows < 0.5, () => `shadows are ${100 * shadows} % of the picture drawn ${way}`);
    await client.click("theme");
    await picture();
    await notBlank(client, `the other theme, ${way}`);
    if (way === "plain") {
      const light = await difference(client, seen.full, seen.plain);
      check(light > 0.01, () => `both ways are alike but for ${100 * light} %: the switch does nothing`);
      bench.note(`${(100 * light).toFixed(0)} % of the pixels differ between them`);
    }
  }
}

/** A point of a body (by number), in the window. */
const IN_PAGE = `(k, [px, py, pz]) => {
  const { app, view } = window.holonom;
  if (k < 0) return view.project([px, py, pz]);
  const [x, y, z, a, b, c, w] = app.frame.parts.poses.data.subarray(7 * k, 7 * k + 7);
  const [tx, ty, tz] = [2 * (b * pz - c * py), 2 * (c * px - a * pz), 2 * (a * py - b * px)];
  return view.project([x + px + w * tx + b * tz - c * ty, y + py + w * ty + c * tx - a * tz, z + pz + w * tz + a * ty - b * tx]);
}`;

/** The part of the view that bodies take up: of its width and height, from the middles of their shapes. */
const extent = (client) => client.page.evaluate(`(() => {
  const seen = ${IN_PAGE};
  const box = document.querySelector("#view canvas").getBoundingClientRect();
  const points = window.holonom.app.picture.bodies.flatMap((b, k) => b.shapes.map((s) => seen(k, s.pose.at)));
  const xs = points.map((p) => (p.x - box.left) / box.width), ys = points.map((p) => (p.y - box.top) / box.height);
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
})()`);

async function framing(bench) {
  const site = await bench.site();
  for (const [width, height] of [[1280, 720], [390, 780], [1920, 1000]]) {
    const client = await bench.client(site, { at: "#scene=pendulum", width, height, touch: width < 500 });
    for (const name of ["excavator", "wall-100", "surles-protein", "strandbeest", "crane", "cable-200"]) {
      await client.openScene(name);
      await drawn(client);
      const { left, right, top, bottom } = await extent(client);
      const where = JSON.stringify({ left, right, top, bottom });
      check(left > 0 && right < 1 && top > 0 && bottom < 1, `${name} at ${width} x ${height} is cut off: ${where}`);
      check(right - left > 0.3 || bottom - top > 0.3, `${name} at ${width} x ${height} is small: ${where}`);
      await client.shot(`framing-${width}-${name}`);
    }
  }
}

async function signs(bench) {
  const site = await bench.site();
  const client = await bench.client(site, { at: "#scene=excavator" });
  const count = async () => {
    await drawn(client);
    return client.page.evaluate(() => window.holonom.view.cost.triangles);
  };
  const bare = await count();
  // under the pointer
  const at = await client.page.evaluate(`(() => {
    const joint = window.holonom.app.picture.joints.find((j) => j.name === "stick pin");
    return (${IN_PAGE})(joint.b, joint.on_b.at);
  })()`);
  await client.page.mouse.move(at.x, at.y);
  await client.until(() => document.querySelector(".v3-label.v3-strong"), "the name of what is pointed at");
  const hovered = await count();
  check(hovered > bare, `the sign of a joint under the pointer: ${bare} and ${hovered} triangles`);
  await client.page.mouse.move(5, 300);
  // selected
  await client.page.evaluate(() => window.holonom.app.select({ kind: "joint", name: "stick pin" }));
  check((await count()) > bare, "the sign of a joint that is selected");
  await client.page.evaluate(() => window.holonom.app.select(null));
  equal(await count(), bare, "triangles without signs");
  // all of them
  await client.page.evaluate(() => window.holonom.app.show({ joints: true }));
  const all = await count();
  check(all > bare + 8 * (hovered - bare), `all signs: ${bare}, ${hovered} and ${all} triangles`);
}

export default [
  { name: "with graphics hardware and without", run: graphics },
  { name: "the whole mechanism fits the window", run: framing },
  { name: "signs of joints where they are asked for", run: signs },
];
