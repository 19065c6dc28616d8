// The pictures that stand in the book where a scene of its own is not live yet, taken anew: SITE=target/site node posters.mjs [NAME ...]

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./lib/browser.mjs";
import { FileServer } from "./lib/files.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/images/book");
mkdirSync(folder, { recursive: true });
const browser = await launch();
const site = await FileServer.start(process.env.SITE);
const wanted = process.argv.slice(2);
const context = await browser.newContext({ viewport: { width: 1000, height: 900 }, reducedMotion: "reduce" });
const page = await context.newPage();
await page.goto(`${site.url}book/`);
const pages = await page.evaluate(() => [...document.querySelectorAll("body > .contents a")].map((a) => a.href).filter((href) => !/\/(guides|derivations)\//.test(href)));
for (const address of pages) {
  await page.goto(address);
  for (const name of await page.evaluate(() => window.book.live.filter((l) => l.editor).map((l) => l.name))) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    await page.evaluate(async (name) => {
      const live = window.book.live.find((l) => l.name === name);
      await live.start(false);
      await live.recorded([], 0.3);
    }, name);
    const frame = page.locator(`figure.live[data-scene="${name}"] iframe`);
    await frame.scrollIntoViewIfNeeded();
    await page.waitForTimeout(1500);
    // the picture alone: neither the button nor the legend
    for (const inside of page.frames().filter((f) => f.url().includes("?embed"))) {
      await inside.evaluate(() => document.querySelectorAll(".embed-corner, .v3-legend").forEach((part) => part.remove()));
    }
    await page.frameLocator(`figure.live[data-scene="${name}"] iframe`).locator("#view").screenshot({ path: join(folder, `${name}.jpg`), type: "jpeg", quality: 80 });
    console.log(name);
  }
}
await browser.close();
await site.stop();
