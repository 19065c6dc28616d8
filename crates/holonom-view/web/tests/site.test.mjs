// The page without a program: the engine in a Web Worker, from a plain server of files, from a cache, from a disk.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { check, equal, notBlank } from "./lib/check.mjs";
import { command, withFolder } from "./lib/program.mjs";

/** What a page of the site may ever ask for. */
const FILES = ["/", "/engine.bin", "/sw.js"];
/** Of these, 240 ticks take longer than all others together; `cargo xtask soak` runs them too. */
const LONG = ["boxes-10000", "tower-1000", "wall-100", "cable-200", "humanoid", "ragdoll-stairs", "strandbeest"];
/** Every how manieth of the others is run here; all in `cargo xtask soak`. */
const EVERY = 3;

/** Nothing but the page, its engine, and what keeps both was asked for, and nothing from elsewhere. */
function asksForNothingElse(site, client) {
  const asked = [...new Set(site.requests)];
  check(asked.every((path) => FILES.includes(path) || path.startsWith("/book/images/gallery/")), () => `asked for ${asked}`);
  const others = client.requests.filter((url) => !url.startsWith(site.url) && !url.startsWith("blob:") && !url.startsWith("data:"));
  check(others.length === 0, () => `asked elsewhere: ${others}`);
}

/** A file that a press of a button saves: its name and its text. */
async function saved(client, press) {
  const download = client.page.waitForEvent("download");
  await press();
  const file = await download;
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

async function menu(client, item) {
  await client.click("downloads");
  await client.click(item);
}

/** The first page: a mechanism in motion, and sentences that go away for good. */
async function first(bench) {
  const site = await bench.site();
  const client = await bench.client(site);
  await client.until(() => window.holonom.app.frame.playing && window.holonom.app.frame.time > 0.3 && window.holonom.app.picture.name === "excavator", "a mechanism in motion");
  equal(await client.page.evaluate(() => location.hash), "#scene=excavator", "the address");
  await client.shot("site-first");
  await client.click("hint-choose");
  await client.page.locator('[data-testid="gallery-card"][data-scene="pendulum"]').click();
  await client.until(() => window.holonom.app.picture.name === "pendulum", "another scene");
  await client.page.goto(site.url);
  await client.ready();
  equal(await client.part("hint").count(), 0, "hints for somebody who was here before");
  asksForNothingElse(site, client);
}

async function hands(bench) {
  const site = await bench.site();
  const start = performance.now();
  const client = await bench.client(site, { at: "#scene=rope" });
  await client.until(() => window.holonom.app.picture?.name === "rope" && window.holonom.app.frame.revision === window.holonom.app.picture.revision, "the scene of the address");
  bench.note(`first frame ${((performance.now() - start) / 1000).toFixed(2)} s after the address was entered`);
  const loaded = client.requests.length;

  // dragged, while time runs
  const place = await client.seize("ball", [0, 0, 0]);
  await client.page.keyboard.press(" ");
  await client.until(() => window.holonom.app.frame.playing, "time to go on");
  await client.page.mouse.move(place.x - 90, place.y - 70, { steps: 12 });
  await client.until(() => {
    const [hand] = window.holonom.app.frame.hands;
    return hand && Math.hypot(...hand.at.map((x, i) => x - hand.to[i])) < 0.01;
  }, "the ball to come to the hand");
  await client.page.mouse.up();
  await client.until(() => window.holonom.app.frame.hands.length === 0, "the hand to let go");
  await client.click("pause");
  await client.until(() => !window.holonom.app.frame.playing, "a pause");

  // what was done is replayed by the command to the same bits
  const inputs = await saved(client, () => menu(client, "download-inputs"));
  equal(inputs.name, "rope.inputs.jsonl", "the name of the file");
  await replays(inputs.text, "rope");

  // changed, undone, changed again, saved
  await client.page.evaluate(() => window.holonom.app.select({ kind: "body", name: "ball" }));
  await client.click("tab-inspect");
  const mass = client.page.locator('[data-testid="edit-field"][data-path="body.ball.mass"] input');
  await mass.fill("4*8");
  await mass.press("Enter");
  await client.until(() => window.holonom.app.picture.can_undo, "the change");
  const ball = () => client.page.evaluate(() => window.holonom.app.picture.bodies.find((b) => b.name === "ball").mass);
  equal(await ball(), 32, "the mass");
  await client.page.locator("#view canvas").first().focus();
  await client.page.keyboard.press("Control+z");
  await client.until(() => window.holonom.app.picture.can_redo, "the change to be undone");
  equal(await ball(), 20, "the mass before");
  await client.page.keyboard.press("Control+Shift+z");
  await client.until(() => window.holonom.app.picture.can_undo, "the change again");
  const scene = await saved(client, () => menu(client, "download-scene"));
  equal(scene.name, "rope.toml", "the name of the file");
  check(scene.text.includes("4*8"), () => `the scene file:\n${scene.text}`);
  await withFolder(async (folder) => {
    await writeFile(join(folder, scene.name), scene.text);
    const { code, stderr } = await command(["run", join(folder, scene.name), "--time", "0.1"]);
    check(code === 0, `holonom run ended with ${code}: ${stderr}`);
  });

  const later = client.requests.slice(loaded).filter((url) => !url.startsWith("blob:") && !/\/(sw\.js)?$|engine\.bin$/.test(url));
  equal(later, [], "what was asked for after loading");
  asksForNothingElse(site, client);
  await client.shot("site-rope");
}

/** The log of inputs, replayed by the command: it must come to the hash that it names. */
async function replays(text, name) {
  const heading = JSON.parse(text.split("\n")[0]);
  check(/^[0-9a-f]{16}$/.test(heading.hash), () => `${name}: the heading ${JSON.stringify(heading).slice(0, 200)}`);
  await withFolder(async (folder) => {
    const file = join(folder, "inputs.jsonl");
    await writeFile(file, text);
    const { code, stdout, stderr } = await command(["replay", file, "--json"]);
    check(code === 0, `${name}: holonom replay ended with ${code}:\n${stdout}${stderr}`);
    equal(JSON.parse(stdout.trim().split("\n").at(-1)).hash, heading.hash, `${name}: the hash of the program`);
  });
  return heading;
}

async function bits(bench) {
  const all = process.env.HOLONOM_SITE_ALL === "1";
  const site = await bench.site();
  const client = await bench.client(site);
  const { scenes } = await client.ask({ about: "gallery" });
  const names = scenes.map((s) => s.name).filter((name, k) => all || (!LONG.includes(name) && k % EVERY === 0));
  check(names.length >= 12, () => `only ${names}`);
  for (const name of names) {
    await client.openScene(name);
    await client.send({ do: "step", ticks: 240 });
    await client.until(() => window.holonom.app.frame.tick === 240 || window.holonom.app.frame.stopped, `${name}: 240 ticks`, undefined, all ? 1_800_000 : 60_000);
    equal((await client.frame()).stopped, null, `${name}: why it stopped`);
    const text = await client.page.evaluate(async () => (await window.holonom.link.file("inputs")).text());
    equal((await replays(text, name)).end, 240, `${name}: ticks`);
    await client.shot(`site-${name}`);
  }
  await notBlank(client, names.at(-1));
  asksForNothingElse(site, client);
  bench.note(`${names.length} scenes end with the bits of the program`);
}

async function link(bench) {
  const site = await bench.site();
  const client = await bench.client(site, { at: "#scene=four-bar" });
  await client.until(() => window.holonom.app.picture?.name === "four-bar", "the scene of the address");
  await client.send({ do: "edit", edit: { kind: "rename", path: "body.crank", name: "kurbel" } });
  await client.until(() => window.holonom.app.picture.bodies.some((b) => b.name === "kurbel"), "the change");
  await menu(client, "share");
  await client.until(() => location.hash.startsWith("#s="), "the scene in the address");
  const address = await client.page.evaluate(() => location.href);
  const { text } = await client.ask({ about: "scene" });
  const other = await bench.client({ url: address });
  await other.until(() => window.holonom.app.picture?.bodies.some((b) => b.name === "kurbel"), "the scene of the link");
  equal((await other.ask({ about: "scene" })).text, text, "the scene in the other page");
  bench.note(`a link of ${address.length} characters`);

  // a link that was cut short says so, and the page goes on
  const cut = await bench.client({ url: address.slice(0, -40) });
  await cut.part("toast-error").waitFor();
  await cut.openScene("pendulum");
}

async function offline(bench) {
  const site = await bench.site();
  const client = await bench.client(site);
  await client.page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await site.stop();
  await client.context.setOffline(true);
  client.expected.push(/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|sw\.js/);
  await client.page.reload();
  await client.ready();
  await client.openScene("slider-crank");
  await client.send({ do: "play" });
  await client.until(() => window.holonom.app.frame.time > 0.5, "half a second");
}

async function disk(bench) {
  const client = await bench.client({ url: pathToFileURL(join(process.env.SITE, "holonom.html")).href }, { at: "#scene=double-pendulum" });
  await client.until(() => window.holonom.app.picture?.name === "double-pendulum", "the scene of the address");
  await client.send({ do: "play" });
  await client.until(() => window.holonom.app.frame.time > 0.5, "half a second");
  equal(client.requests.filter((url) => !/^(file|blob|data):/.test(url)), [], "what was asked for");
}

async function restarts(bench) {
  const site = await bench.site();
  const client = await bench.client(site, { at: "#scene=four-bar" });
  await client.until(() => window.holonom.app.picture?.name === "four-bar", "the scene of the address");
  await client.send({ do: "edit", edit: { kind: "rename", path: "body.crank", name: "kurbel" } });
  await client.until(() => window.holonom.panels.work.current() !== null, "the change to be kept");
  // as a trap does
  await client.page.evaluate(() => window.holonom.link.end("unreachable"));
  await client.part("connection-banner").waitFor();
  await client.click("reconnect");
  await client.until(() => window.holonom.app.connection === "open" && window.holonom.app.picture.bodies.some((b) => b.name === "kurbel"), "the scene as it was kept");
  await client.send({ do: "play" });
  await client.until(() => window.holonom.app.frame.time > 0.2, "time to go on");
}

/** What has to be fetched before anything is seen, as hosts send it. */
async function size(bench) {
  const [page, engine] = await Promise.all(["index.html", "engine.bin"].map((name) => readFile(join(process.env.SITE, name))));
  const bytes = gzipSync(page, { level: 9 }).length + engine.length;
  check(bytes <= 1.5e6, () => `page and engine have ${bytes} bytes`);
  bench.note(`${(bytes / 1e6).toFixed(2)} MB`);
}

export default [
  { name: "page and engine are small", run: size },
  { name: "the first page moves, and says how to begin", run: first },
  { name: "dragged, changed, undone, saved; replayed by the command", run: hands },
  { name: "the bits of the program after 240 ticks", run: bits, limit: process.env.HOLONOM_SITE_ALL === "1" ? 7_200_000 : 300_000 },
  { name: "a link holds a scene", run: link },
  { name: "without a network", run: offline },
  { name: "one file from a disk", run: disk },
  { name: "an engine that ends is followed by another", run: restarts },
];
