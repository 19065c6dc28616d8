// The pictures of docs/images, taken anew: HOLONOM=... node pictures.mjs
//
// They are for people to look at, not a test; `cargo xtask page` does not make them.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./lib/browser.mjs";
import { Client } from "./lib/client.mjs";
import { drawn, pass } from "./lib/pictures.mjs";
import { Program } from "./lib/program.mjs";

const folder = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/images");
/** Names of pictures after the folder select some of them. */
const wanted = process.argv.slice(3);
const browser = await launch();

async function take(name, scene, options, work) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const program = await Program.start(scene);
  const client = await Client.open(browser, program.url, { width: 1280, height: 720, shadows: true, ...options });
  await work(client);
  await drawn(client);
  await client.page.screenshot({ path: join(folder, `${name}.png`) });
  await client.close();
  await program.stop();
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

await browser.close();
