// The pictures of docs/gallery.md and of the site's gallery, taken anew: SITE=target/site node thumbnails.mjs [NAME ...]
//
// They are for people to look at, not a test; `cargo xtask page` does not make them. Each scene is stepped to a moment at which it shows what it is, and
// what the view shows then becomes a small JPEG.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./lib/browser.mjs";
import { Client } from "./lib/client.mjs";
import { FileServer } from "./lib/files.mjs";
import { drawn, pass } from "./lib/pictures.mjs";

/** Seconds after which a scene is at its best, where one second is not. */
const MOMENTS = {
  assembly: 0.6,
  "bike-rider": 0.12,
  "bike-rider-redundant": 0.12,
  "boxes-10000": 0.05,
  "bouncing-ball": 0.6,
  "cable-200": 2,
  "door-3-hinges": 0.3,
  "double-pendulum": 0.8,
  "newtons-cradle": 0.2,
  pendulum: 0.3,
  "prosthetic-arm-book": 2.2,
  "prosthetic-arm-line": 4,
  "ragdoll-stairs": 0.8,
  rope: 0.7,
  "tree-128": 0.5,
  "two-chains-collide": 0.45,
  "whipple-bicycle": 0.3,
  "wall-100": 0.1,
};

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/images/gallery");
mkdirSync(folder, { recursive: true });
const browser = await launch();
const site = await FileServer.start(process.env.SITE);
const client = await Client.open(browser, `${site.url}?graphics=full#scene=pendulum`, { width: 1280, height: 720, shadows: true, scale: 0.5 });
const { scenes } = await client.ask({ about: "gallery" });
const wanted = process.argv.slice(2);
for (const { name } of scenes.filter((s) => wanted.length === 0 || wanted.includes(s.name))) {
  await client.openScene(name);
  await pass(client, MOMENTS[name] ?? 1);
  await drawn(client);
  await client.page.locator("#view").screenshot({ path: join(folder, `${name}.jpg`), type: "jpeg", quality: 82 });
  console.log(name);
}
await client.close();
await site.stop();
await browser.close();
