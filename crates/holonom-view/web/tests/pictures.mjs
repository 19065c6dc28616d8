// The pictures of docs/images, taken anew, on the site and as graphics hardware draws: SITE=target/site node pictures.mjs [FOLDER [NAME ...]]
//
// They are for people to look at, not a test; `cargo xtask page` does not make them.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./lib/browser.mjs";
import { Client } from "./lib/client.mjs";
import { FileServer } from "./lib/files.mjs";
import { drawn, pass } from "./lib/pictures.mjs";

const folder = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/images");
/** Names of pictures after the folder select some of them. */
const wanted = process.argv.slice(3);
const browser = await launch();
const site = await FileServer.start(process.env.SITE);

async function take(name, scene, options, work) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const client = await Client.open(browser, `${site.url}?graphics=full${scene ? `#scene=${scene}` : ""}`, { width: 1280, height: 720, shadows: true, ...options });
  if (scene) await client.until((scene) => window.holonom.app.picture?.name === scene, "the scene", scene);
  await drawn(client);
  await work(client);
  await drawn(client);
  await client.page.screenshot({ path: join(folder, `${name}.png`) });
  await client.close();
  console.log(`${name}.png`);
}

async function plot(client, search, ...names) {
  await client.click("tab-plots");
  await client.part("quantity-search").fill(search);
  for (const name of names) await client.page.locator(`[data-testid="quantity"][data-name="${name}"]`).click();
  await client.part("quantity-search").fill("");
  await client.part("quantity-search").press("Escape");
}

// a load that is pulled aside while the crane turns
await take("page", "crane", {}, async (client) => {
  await plot(client, "rope force", "rope.force.x", "rope.force.y", "rope.force.z");
  await plot(client, "effort", "hoisting.effort", "slewing.effort");
  await client.page.evaluate(() => {
    window.holonom.app.cap = 2000;
    window.holonom.app.emit("touch", undefined);
    window.holonom.app.show({ reactions: true });
  });
  await pass(client, 3);
  await client.still();
  const { x, y } = await client.seize("load", [0, 0, 0]);
  await client.page.mouse.move(x - 80, y - 10, { steps: 10 });
  await pass(client, 1.5);
});

await take("page-doctor", "door-3-hinges", {}, async (client) => {
  await client.click("tab-doctor");
  await client.page.evaluate(() => window.holonom.app.show({ reactions: true, labels: true }));
  await client.page.locator('button[data-testid="doctor-sentence"]', { hasText: /\b10\b/ }).click();
  await pass(client, 0.25);
});

await take("page-structure", "four-bar", { theme: "dark" }, async (client) => {
  await client.click("tab-matrix");
  await client.page.evaluate(() => window.holonom.app.show({ reactions: true, velocities: true, labels: true, structure: true }));
  await pass(client, 0.25);
});

await take("page-arm", "prosthetic-arm", {}, async (client) => {
  await plot(client, "effort", "elbow-motor.effort", "rotation-motor.effort").catch(() => {});
  await client.click("tool-jog");
  const hand = await client.aim("hand", [0, 0, -0.05]);
  await client.page.mouse.click(hand.x, hand.y);
  await pass(client, 2.6);
});

// the pins of an excavator under load
await take("page-excavator", "excavator", {}, async (client) => {
  await plot(client, "effort", "boom oil.effort", "stick oil.effort", "bucket oil.effort");
  await client.page.evaluate(() => window.holonom.app.show({ reactions: true }));
  await pass(client, 5);
});

// a man rides over a stone
await take("page-bike", "bike-rider", {}, async (client) => {
  await plot(client, "acc", "pelvis.acc.z", "head.acc.z");
  await client.page.evaluate(() => window.holonom.app.show({ reactions: true }));
  await pass(client, 0.94, 1);
});

// the first page of the site
await take("page-site", null, {}, async (client) => {
  await client.until(() => window.holonom.app.frame.time > 2, "the excavator to dig");
});

await take("page-gallery", "pendulum", {}, async (client) => {
  await client.click("scene");
  await client.part("gallery-card").first().waitFor();
  await client.page.evaluate(() => Promise.all([...document.querySelectorAll(".card-picture")].slice(0, 12).map((image) => image.decode())));
});

await take("page-phone", "strandbeest", { width: 390, height: 780, touch: true, scale: 1.5 }, async (client) => {
  await pass(client, 0.5);
});

/** A page of the book, scrolled to its first mechanism, which runs. */
async function chapter(name, page, seconds, options) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce", ...options });
  const reader = await context.newPage();
  await reader.goto(`${site.url}book/${page}.html`);
  await reader.evaluate(async (seconds) => {
    document.querySelector("figure.live").scrollIntoView({ block: "center" });
    await window.book.live[0].start(false);
    await window.book.live[0].recorded([], seconds);
  }, seconds);
  await reader.waitForTimeout(3000);
  await reader.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
  console.log(`${name}.png`);
}

await chapter("book", "loads", 0.4, {});
await chapter("book-phone", "first-mechanism", 0.3, { viewport: { width: 390, height: 780 }, deviceScaleFactor: 1.5, colorScheme: "dark" });

await browser.close();
await site.stop();
