// The browser: Debian's Chromium (or the one CHROMIUM names), without a window, drawing in software. One for all tests; a context of its own for each.

import { access } from "node:fs/promises";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // pages that are not in front are to go on drawing: tests open two
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
];

/** Where Chromium is. */
async function find() {
  const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  for (const place of places) {
    if (place && (await access(place).then(() => true, () => false))) return place;
  }
  throw new Error("Chromium is missing. Install it (sudo apt-get install chromium), or name it in the variable CHROMIUM.");
}

export async function launch() {
  return chromium.launch({ executablePath: await find(), headless: true, args: FLAGS });
}
