// A page with the program open in it, and what tests do with it. Whatever the page complains about (an exception, a console error, a request that failed) is kept
// in `complaints`, and the runner fails the test that has any.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

/** How long a condition may take to come true: long, as machines that test are slow; conditions that hold are seen at once. */
const PATIENCE = 30_000;

export class Client {
  /** A page of its own (cookies, storage) with the program in it, seen through its first frame. */
  static async open(browser, url, { width = 1280, height = 720, theme = "light", touch = false, shadows = false, scale = 1 } = {}) {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: theme,
      hasTouch: touch,
      reducedMotion: "reduce",
      acceptDownloads: true,
    });
    const client = new Client();
    client.context = context;
    client.complaints = [];
    /** Patterns of complaints that a test brings about on purpose. */
    client.expected = [];
    client.page = await context.newPage();
    client.page.on("pageerror", (e) => client.complain(`exception: ${e.stack ?? e}`));
    client.page.on("console", (m) => {
      if (m.type() === "error" || m.type() === "warning") client.complain(`console ${m.type()}: ${m.text()} (${m.location().url})`);
    });
    /** Addresses of everything that the page asked for. */
    client.requests = [];
    client.page.on("request", (r) => client.requests.push(r.url()));
    client.page.on("requestfailed", (r) => client.complain(`request failed: ${r.url()} ${r.failure()?.errorText}`));
    await client.page.goto(url, { timeout: PATIENCE });
    await client.ready();
    // shadows cost a page that draws in software more than all the rest
    if (!shadows) await client.page.evaluate(() => window.holonom.app.show({ shadows: false }));
    return client;
  }

  complain(text) {
    // Chromium without a graphics card says so on every read of pixels
    if (/GPU stall due to ReadPixels|software WebGL|swiftshader/i.test(text)) return;
    if (!this.expected.some((pattern) => pattern.test(text))) this.complaints.push(text);
  }

  async close() {
    await this.context.close();
  }

  /** Wait until a picture and a frame of it are there. */
  async ready() {
    await this.until(() => {
      const app = window.holonom?.app;
      return app?.connection === "open" && app.picture && app.frame && app.frame.revision === app.picture.revision;
    }, "a picture and a frame");
  }

  /** Wait until a function of the page gives something true, and give that. */
  async until(condition, what, argument, patience = PATIENCE) {
    try {
      const handle = await this.page.waitForFunction(condition, argument, { timeout: patience, polling: 30 });
      return await handle.jsonValue();
    } catch (e) {
      const state = await this.page
        .evaluate(() => {
          const { picture, connection, frame } = window.holonom?.app ?? {};
          const { parts, ...header } = frame ?? {};
          return JSON.stringify({ connection, picture: picture?.name, ...header });
        })
        .catch(() => "gone");
      throw new Error(`waited ${patience / 1000} s in vain for ${what}; the page is at ${state}; ${String(e).split("\n")[0]}`);
    }
  }

  /** The header of the latest frame. */
  frame() {
    return this.page.evaluate(() => {
      const { parts, ...header } = window.holonom.app.frame;
      return header;
    });
  }

  /** The headers of the next `count` frames, each with the moment (ms) at which the page had it. */
  async frames(count, patience = PATIENCE) {
    return this.page.evaluate(
      ([count, patience]) =>
        new Promise((resolve, reject) => {
          const seen = [];
          const late = setTimeout(() => reject(new Error(`${seen.length} frames of ${count} in ${patience} ms`)), patience);
          const stop = window.holonom.app.on("frame", ({ parts, ...header }) => {
            seen.push({ ...header, at: performance.now() });
            if (seen.length >= count) {
              clearTimeout(late);
              stop();
              resolve(seen);
            }
          });
        }),
      [count, patience],
    );
  }

  picture() {
    return this.page.evaluate(() => window.holonom.app.picture);
  }

  /** Pose of a body in the latest frame: `{ at, turn }`. */
  pose(name) {
    return this.page.evaluate((name) => {
      const { picture, frame } = window.holonom.app;
      const k = picture.bodies.findIndex((b) => b.name === name);
      if (k < 0) throw new Error(`no body ${name}`);
      const row = Array.from(frame.parts.poses.data.subarray(7 * k, 7 * k + 7));
      return { at: row.slice(0, 3), turn: row.slice(3) };
    }, name);
  }

  /** Say something to the program, as the page does. */
  async send(request) {
    const heard = await this.page.evaluate((request) => window.holonom.app.send(request), request);
    if (!heard) throw new Error(`nobody heard ${JSON.stringify(request)}`);
  }

  ask(question) {
    return this.page.evaluate((question) => window.holonom.app.ask(question), question);
  }

  /** Open a scene and wait for its first frame. */
  async openScene(name) {
    await this.send({ do: "open", scene: name });
    await this.until(
      (name) => {
        const { picture, frame } = window.holonom.app;
        return picture?.name === name && frame?.revision === picture.revision;
      },
      `the scene ${name}`,
      name,
    );
  }

  /** Keep every frame from now on in the page; `recorded()` gives them. */
  async record() {
    await this.page.evaluate(() => {
      window.kept = [];
      window.stopKeeping?.();
      window.stopKeeping = window.holonom.app.on("frame", ({ parts, sections, values, ...header }) => {
        window.kept.push({ ...header, at: performance.now() });
      });
    });
  }

  recorded() {
    return this.page.evaluate(() => window.kept);
  }

  /** Where a point of the world is on the screen, CSS pixels. */
  async project(point) {
    const { x, y, visible } = await this.page.evaluate((point) => window.holonom.view.project(point), point);
    if (!visible) throw new Error(`${point} is behind the camera`);
    return { x, y };
  }

  /** Wait until the camera stands still. */
  async still() {
    await this.page.evaluate(() => (window.stood = null));
    await this.until(() => {
      const seen = JSON.stringify([[0, 0, 0], [1, 0, 0], [0, 0, 1]].map((p) => window.holonom.view.project(p)));
      const same = window.stood === seen;
      window.stood = seen;
      return same;
    }, "the camera to stand still");
  }

  /** A part of the page by its test name. */
  part(name) {
    return this.page.locator(`[data-testid="${name}"]`);
  }

  async click(name) {
    await this.part(name).click({ timeout: PATIENCE });
  }

  /** Where a point of a body (body frame) is on the screen, once the body can be seen and pointed at there: after the camera has found its place. */
  async aim(body, point) {
    return this.until(
      ([body, [px, py, pz]]) => {
        const { app, view } = window.holonom;
        const k = app.picture.bodies.findIndex((b) => b.name === body);
        const [x, y, z, a, b, c, w] = app.frame.parts.poses.data.subarray(7 * k, 7 * k + 7);
        const [tx, ty, tz] = [2 * (b * pz - c * py), 2 * (c * px - a * pz), 2 * (a * py - b * px)];
        const at = view.project([x + px + w * tx + b * tz - c * ty, y + py + w * ty + c * tx - a * tz, z + pz + w * tz + a * ty - b * tx]);
        return view.pickBody(at.x, at.y, 5)?.name === body && { x: at.x, y: at.y };
      },
      `${body} to be seen`,
      [body, point],
    );
  }

  /** Take hold of a body at a point of it (body frame) with the mouse; gives where that is on the screen. The button stays down. */
  async seize(body, point) {
    const place = await this.aim(body, point);
    await this.page.mouse.move(place.x, place.y);
    await this.page.mouse.down();
    const client = await this.page.evaluate(() => window.holonom.app.client);
    await this.until(
      ([client, body]) => window.holonom.app.frame.hands.some((h) => h.client === client && h.body === body && h.kind === "grab"),
      `a hand on ${body}`,
      [client, body],
    );
    return place;
  }

  /** Own hands in the latest frame. */
  hands() {
    return this.page.evaluate(() => window.holonom.app.frame.hands.filter((h) => h.client === window.holonom.app.client));
  }

  /** Write a screenshot into the folder that SHOTS names, if it does. */
  async shot(name) {
    const folder = process.env.SHOTS;
    if (!folder) return;
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }
}
