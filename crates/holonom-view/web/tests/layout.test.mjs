// Nothing lies over anything else, nothing has to be scrolled sideways: in wide and narrow windows, light and dark, with every panel.

import { check } from "./lib/check.mjs";

/** The parts of the page that lie side by side, and everything that can be pressed. */
function measure() {
  const seen = (e) => {
    const box = e.getBoundingClientRect();
    const style = getComputedStyle(e);
    return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && style.display !== "none";
  };
  const box = (e) => {
    const { left, top, right, bottom } = e.getBoundingClientRect();
    return { name: e.dataset.testid || e.id || e.className || e.tagName, left, top, right, bottom };
  };
  const parts = [...document.querySelectorAll(".top, .middle, .side, .time")].filter(seen).map(box);
  const bars = [...document.querySelectorAll(".top, .time, .tabs-row")].filter(seen);
  const pressed = bars.map((bar) => [...bar.querySelectorAll("button, select, input, output")].filter(seen).map(box));
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
  const open = document.querySelector(".tab-body:not([hidden])");
  const tabs = document.querySelector(".tabs");
  return { cut: tabs && seen(tabs) ? tabs.scrollWidth - tabs.clientWidth : 0, parts, pressed, scrollWidth, clientWidth, scrollHeight, clientHeight, width: innerWidth, height: innerHeight,
    panel: open && seen(open) ? { scroll: open.scrollWidth, client: open.clientWidth } : null };
}

const SLACK = 0.5; // px, for rounding

function overlap(a, b) {
  const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return x > SLACK && y > SLACK;
}

function judge(found, where) {
  check(found.parts.length >= 3, `${where}: only ${found.parts.map((p) => p.name)}`);
  for (const list of [found.parts, ...found.pressed]) {
    for (const [i, a] of list.entries()) {
      for (const b of list.slice(i + 1)) check(!overlap(a, b), () => `${where}: ${JSON.stringify(a)} lies over ${JSON.stringify(b)}`);
    }
  }
  for (const p of [...found.parts, ...found.pressed.flat()]) {
    check(p.left >= -SLACK && p.right <= found.width + SLACK && p.top >= -SLACK && p.bottom <= found.height + SLACK, () => `${where}: ${JSON.stringify(p)} is outside of the window`);
  }
  check(found.scrollWidth <= found.clientWidth, `${where}: scrolls sideways, ${found.scrollWidth} px in ${found.clientWidth}`);
  check(found.scrollHeight <= found.clientHeight, `${where}: scrolls, ${found.scrollHeight} px in ${found.clientHeight}`);
  check(found.cut <= 0, `${where}: the tabs are ${found.cut} px too wide`);
  if (found.panel) check(found.panel.scroll <= found.panel.client, `${where}: the panel scrolls sideways`);
}

const TABS = ["inspect", "plots", "doctor", "energy", "matrix", "build"];

function sizes(width, height, theme) {
  return async (bench) => {
    const program = await bench.program("four-bar");
    const client = await bench.client(program, { width, height, theme, shadows: true });
    const dark = await client.page.evaluate(() => document.documentElement.dataset.theme);
    check(dark === theme, `the theme is ${dark}`);
    judge(await client.page.evaluate(measure), `${width}x${height}`);
    await client.shot(`layout-${width}-${theme}`);
    for (const tab of TABS) {
      await client.click(`tab-${tab}`);
      await client.page.locator(`#tab-${tab}`).waitFor();
      await client.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      judge(await client.page.evaluate(measure), `${width}x${height} ${tab}`);
      await client.shot(`layout-${width}-${theme}-${tab}`);
    }
  };
}

export default [
  { name: "1280x720, light", run: sizes(1280, 720, "light") },
  { name: "1100x700, light", run: sizes(1100, 700, "light") },
  { name: "1920x1080, dark", run: sizes(1920, 1080, "dark") },
  { name: "400x800, dark", run: sizes(400, 800, "dark") },
];
