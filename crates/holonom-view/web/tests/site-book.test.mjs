// The book of the site: every mechanism in it runs, every exercise refuses what is wrong and takes what is right, links lead somewhere; on a phone, in the dark, without a network, from a disk.

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { check, equal } from "./lib/check.mjs";

const PATIENCE = 60_000;

/** A page of the book; it closes with the test, and what the browser complains about fails it. */
class Reader {
  static async open(bench, url, { width = 1280, height = 800, theme = "light", touch = false } = {}) {
    const reader = new Reader();
    reader.context = await bench.browser.newContext({ viewport: { width, height }, colorScheme: theme, hasTouch: touch, reducedMotion: "reduce" });
    reader.complaints = [];
    reader.requests = [];
    reader.page = await reader.context.newPage();
    reader.page.setDefaultTimeout(PATIENCE);
    reader.page.on("pageerror", (e) => reader.complaints.push(`exception: ${e.stack ?? e}`));
    reader.page.on("console", (m) => {
      if (["error", "warning"].includes(m.type()) && !/GPU stall due to ReadPixels|software WebGL|swiftshader/i.test(m.text())) reader.complaints.push(`console: ${m.text()} (${m.location().url})`);
    });
    reader.page.on("request", (r) => reader.requests.push(r.url()));
    await reader.page.goto(url);
    bench.clients.push(reader);
    return reader;
  }

  close() {
    return this.context.close();
  }

  async shot(name) {
    if (process.env.SHOTS) await this.page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
  }

  async until(condition, what, argument) {
    await this.page.waitForFunction(condition, argument, { timeout: PATIENCE, polling: 50 }).catch((e) => {
      throw new Error(`waited in vain for ${what}: ${String(e).split("\n")[0]}`);
    });
  }
}

/** Addresses of the chapters, as the contents have them, without the guides. */
async function chapters(reader) {
  return reader.page.evaluate(() => [...document.querySelectorAll("body > .contents a")].map((a) => a.href).filter((href) => !/\/(guides|derivations|reproduction)\//.test(href)));
}

async function runs(bench) {
  const site = await bench.site();
  const reader = await Reader.open(bench, `${site.url}book/`);
  const pages = await chapters(reader);
  check(pages.length >= 15, () => `only ${pages}`);
  let [scenes, questions] = [0, 0];
  for (const address of pages) {
    await reader.page.goto(address);
    const count = await reader.page.locator("figure.live").count();
    for (let k = 0; k < count; k++) {
      const figure = reader.page.locator("figure.live").nth(k);
      const name = await figure.getAttribute("data-scene");
      // started, and run by the engine for a while without being stopped
      await reader.page.evaluate(async (k) => {
        const live = window.book.live[k];
        await live.start(false);
        await live.recorded([], 0.1);
      }, k).catch((e) => {
        throw new Error(`${address}, ${name}: ${e}`);
      });
      equal(await figure.getAttribute("data-state"), "live", `${address}: ${name}`);
      scenes += 1;
      const forms = reader.page.locator(`form.exercise[data-scene="${name}"]`);
      for (let q = 0; q < (await forms.count()); q++) {
        await exercise(reader, forms.nth(q), figure, `${address}, ${name}, exercise ${q + 1}`);
        questions += 1;
      }
    }
    check((await reader.page.locator("iframe").count()) <= 2, `${address}: more than two engines`);
  }
  bench.note(`${scenes} mechanisms and ${questions} exercises on ${pages.length} pages`);
}

/** Wrong first, then right. */
async function exercise(reader, form, figure, what) {
  const { answer, known, solution } = await form.evaluate((f) => ({ ...f.dataset }));
  const press = async (wanted) => {
    await form.locator("button").click();
    await reader.until((f) => !f.querySelector("button").disabled, `${what} to be checked`, await form.elementHandle());
    const found = await form.getAttribute("data-state");
    equal(found, wanted, `${what}: “${await form.locator("output").textContent()}”`);
    equal(await form.locator(".because").isVisible(), wanted === "right" && (await form.locator(".because > *").count()) > 0, `${what}: the explanation`);
  };
  if (answer) {
    await form.locator("input").fill("about");
    await press("unclear");
    await form.locator("input").fill(String(1.7 * Number(known) + 3));
    await press("wrong");
    await form.locator("input").fill(known);
    await press("right");
    return;
  }
  await press("wrong");
  const editor = figure.locator("textarea");
  let text = await editor.inputValue();
  for (const line of solution.split("\n")) {
    const [from, to] = line.split(" => ").map((t) => t.replaceAll("\\n", "\n"));
    equal(text.split(from).length, 2, `${what}: how often there is “${from}”, and one more`);
    text = text.replace(from, to);
  }
  await editor.fill(text);
  await press("right");
  await figure.locator(".restore").click();
  await reader.until((f) => f.dataset.state === "live", `${what}: the scene as it was`, await figure.elementHandle());
}

async function pulled(bench) {
  const site = await bench.site();
  const reader = await Reader.open(bench, `${site.url}book/first-mechanism.html`);
  const figure = reader.page.locator("figure.live").first();
  // by itself, once it is in view
  await figure.scrollIntoViewIfNeeded();
  await reader.until((f) => f.dataset.state === "live", "the mechanism to begin when it is seen", await figure.elementHandle());
  const inside = reader.page.frames().find((f) => f.url().includes("?embed"));
  await inside.waitForFunction(() => window.holonom.app.frame?.playing && window.holonom.app.frame.time > 0.1);
  // the rod is taken hold of, and follows
  await inside.locator('[data-testid="pause"]').click();
  await inside.locator('[data-testid="reset"]').click();
  await inside.waitForFunction(() => window.holonom.app.frame.time === 0 && !window.holonom.app.frame.playing);
  const at = await inside.waitForFunction(() => {
    const { app, view } = window.holonom;
    const [x, y, z] = app.frame.parts.poses.data.subarray(0, 3);
    const at = view.project([x, y, z]);
    return !app.frame.playing && view.pickBody(at.x, at.y, 5)?.name === "rod" && { x: at.x, y: at.y };
  }).then((found) => found.jsonValue());
  // all of the view in the window, beside what stays at its top
  await reader.page.locator("iframe").evaluate((frame) => frame.scrollIntoView({ block: "center", behavior: "instant" }));
  const box = await reader.page.locator("iframe").boundingBox();
  await reader.page.mouse.move(box.x + at.x, box.y + at.y);
  await reader.page.mouse.down();
  await inside.waitForFunction(() => window.holonom.app.frame.hands.some((h) => h.body === "rod"));
  await inside.evaluate(() => window.holonom.app.send({ do: "play" }));
  await reader.page.mouse.move(box.x + at.x + 10, box.y + at.y - 30, { steps: 8 });
  await inside.waitForFunction(() => window.holonom.app.frame.playing && window.holonom.app.frame.hands.some((h) => Math.hypot(...h.force) > 1));
  await reader.page.mouse.up();
  await inside.waitForFunction(() => window.holonom.app.frame.hands.length === 0);
  await reader.shot("book-chapter");

  // a mistake in the text is told with its line, and mended
  await figure.locator("textarea").fill("[body.rod]\nmas = 1\n");
  await figure.locator(".run").click();
  await reader.until((f) => f.dataset.state === "refused", "the mistake to be told", await figure.elementHandle());
  check(/mas\b/.test(await figure.locator(".trouble").textContent()), "what the mistake is");
  await figure.locator(".restore").click();
  await reader.until((f) => f.dataset.state === "live", "the scene as it was", await figure.elementHandle());
  equal(await figure.locator(".trouble").textContent(), "", "the mistake, once it is gone");
  const away = reader.requests.filter((url) => !url.startsWith(site.url) && !/^(blob|data):/.test(url));
  equal(away, [], "what was asked of others");
}

async function links(bench) {
  const site = await bench.site();
  // the page leads here
  const whole = await bench.client(site, { at: "#scene=pendulum" });
  await whole.page.keyboard.press("?");
  await whole.part("book").click();
  await whole.page.waitForURL(/book\/index\.html$/);
  const reader = await Reader.open(bench, `${site.url}book/`);
  const pages = (await readdir(join(process.env.SITE, "book"), { recursive: true })).filter((f) => f.endsWith(".html"));
  check(pages.length > 35, () => `only ${pages}`);
  for (const path of pages) {
    await reader.page.goto(`${site.url}book/${path}`);
    const dead = await reader.page.evaluate(async () => {
      const found = [];
      const ids = new Map();
      for (const a of document.querySelectorAll("a[href]")) {
        const url = new URL(a.href);
        if (url.origin !== location.origin || url.hash.startsWith("#scene=")) continue;
        const bare = url.origin + url.pathname;
        if (!ids.has(bare)) {
          const response = await fetch(bare);
          ids.set(bare, response.ok ? await response.text() : null);
        }
        const text = ids.get(bare);
        if (text === null || (url.hash && !text.includes(`id="${decodeURIComponent(url.hash.slice(1))}"`))) found.push(a.getAttribute("href"));
      }
      for (const image of document.querySelectorAll("main img")) {
        image.loading = "eager";
        await image.decode().catch(() => found.push(image.src));
      }
      return found;
    });
    equal(dead, [], `${path}: dead links`);
    check((await reader.page.locator("main h1").count()) >= 1, `${path} has no heading`);
  }
  bench.note(`${pages.length} pages`);
}

/** Nothing is wider than the window, and the text can be read in both colours. */
async function looks(bench) {
  const site = await bench.site();
  for (const [width, theme] of [[390, "dark"], [400, "light"], [1000, "dark"], [1920, "light"]]) {
    const reader = await Reader.open(bench, `${site.url}book/loads.html`, { width, height: 800, theme, touch: width < 500 });
    equal(await reader.page.evaluate(() => document.documentElement.dataset.theme), theme, "the colours");
    for (const page of ["loads", "joints", "comparison", "guides/verification"]) {
      await reader.page.goto(`${site.url}book/${page}.html`);
      const wide = await reader.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      check(wide <= 0, `${page} at ${width} px is ${wide} px too wide`);
    }
    await reader.shot(`book-${width}-${theme}`);
    if (width < 500) {
      await reader.page.locator(".menu summary").click();
      await reader.page.locator(".menu a", { hasText: "Loads to trust" }).click();
      await reader.page.waitForURL(/loads\.html$/);
    }
    await reader.page.locator(".theme").click();
    check((await reader.page.evaluate(() => document.documentElement.dataset.theme)) !== theme, "the other colours");
  }
}

async function offline(bench) {
  const site = await bench.site();
  const reader = await Reader.open(bench, `${site.url}book/`);
  await reader.page.evaluate(async () => {
    const kept = new Promise((resolve) => navigator.serviceWorker.addEventListener("message", ({ data }) => data === "the book is kept" && resolve()));
    navigator.serviceWorker.startMessages();
    (await navigator.serviceWorker.ready).active.postMessage("keep the book");
    await kept;
  });
  await site.stop();
  await reader.context.setOffline(true);
  await reader.page.goto(`${site.url}book/loops.html`);
  await reader.page.evaluate(() => window.book.live[0].start(true));
  equal(await reader.page.locator("figure.live").first().getAttribute("data-state"), "live", "a mechanism without a network");
  await reader.page.goto(`${site.url}book/guides/scenes.html`);
  check((await reader.page.locator("main h1").textContent()).includes("Scene files"), "a guide without a network");
  reader.complaints = reader.complaints.filter((c) => !/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|sw\.js/.test(c));
}

async function disk(bench) {
  const reader = await Reader.open(bench, pathToFileURL(join(process.env.SITE, "book/joints.html")).href);
  await reader.page.evaluate(() => window.book.live[0].start(true));
  const form = reader.page.locator("form.exercise").first();
  await form.locator("input").fill("4");
  await form.locator("button").click();
  await reader.until((f) => f.dataset.state === "right", "the answer to be checked", await form.elementHandle());
  equal(reader.requests.filter((url) => !/^(file|blob|data):/.test(url)), [], "what was asked for");
}

export default [
  { name: "every mechanism runs, every exercise is checked", run: runs, limit: 900_000 },
  { name: "a mechanism in the text is pulled, spoilt and mended", run: pulled },
  { name: "links, headings and pictures are there", run: links, limit: 300_000 },
  { name: "from 390 to 1920 pixels, light and dark", run: looks },
  { name: "without a network", run: offline },
  { name: "from a disk", run: disk },
];
