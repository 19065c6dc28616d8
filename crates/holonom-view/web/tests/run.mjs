// End-to-end tests of the page in a real browser.
//
//     HOLONOM=../../../../target/release/holonom node run.mjs [WORD ...]      only tests whose name contains one of the words
//
// Variables: HOLONOM the binary; SITE the folder of the site, which `cargo xtask site` writes; CHROMIUM the browser, where it is not in its usual place; SHOTS a folder for screenshots. Tests run one after the other, each with programs
// and pages of its own; the first that fails ends it all, with what the pages and programs said. A complaint of the browser's console fails a test as much as
// a wrong answer does. Nothing waits for a fixed time: tests wait for conditions, for as long as a slow machine may need.

import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch } from "./lib/browser.mjs";
import { Client } from "./lib/client.mjs";
import { FileServer } from "./lib/files.mjs";
import { Program } from "./lib/program.mjs";

const LIMIT = 120_000; // ms, for a test that does not say its own

/** What a test is given: makes programs and pages, which are closed after it. */
class Bench {
  constructor(browser) {
    this.browser = browser;
    this.programs = [];
    this.sites = [];
    this.clients = [];
    this.notes = [];
  }

  async program(scene, options) {
    const program = await Program.start(scene, options);
    this.programs.push(program);
    return program;
  }

  /** The site, on a plain server of files. */
  async site() {
    const site = await FileServer.start(process.env.SITE);
    this.sites.push(site);
    return site;
  }

  /** A page of a program or of the site; `options.at` is what follows its address. */
  async client(program, options = {}) {
    const client = await Client.open(this.browser, program.url + (options.at ?? ""), options);
    this.clients.push(client);
    return client;
  }

  /** A figure to be shown behind the name of the test. */
  note(text) {
    this.notes.push(text);
  }

  complaints() {
    return this.clients.flatMap((c) => c.complaints);
  }

  async close() {
    for (const client of this.clients) await client.close().catch(() => {});
    for (const program of this.programs) await program.stop();
    for (const site of this.sites) await site.stop();
  }
}

async function collect() {
  const here = dirname(fileURLToPath(import.meta.url));
  const files = (await readdir(here)).filter((f) => f.endsWith(".test.mjs")).sort();
  const tests = [];
  for (const file of files) {
    const { default: list } = await import(pathToFileURL(join(here, file)));
    for (const test of list) tests.push({ ...test, name: `${file.replace(".test.mjs", "")}: ${test.name}` });
  }
  return tests;
}

async function within(limit, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limit / 1000} s`)), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function runOne(browser, test) {
  const bench = new Bench(browser);
  const start = performance.now();
  let error = null;
  try {
    await within(test.limit ?? LIMIT, test.run(bench));
    const complaints = bench.complaints();
    if (complaints.length > 0) throw new Error(`the browser complained:\n${complaints.join("\n")}`);
  } catch (e) {
    error = e;
    for (const [k, client] of bench.clients.entries()) await client.shot(`failed-${k}`).catch(() => {});
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${error ? "FAILED" : "passed"}  ${seconds.padStart(6)} s  ${test.name}${bench.notes.map((n) => `; ${n}`).join("")}`);
  if (error) {
    console.log(`\n${error.stack ?? error}\n`);
    for (const complaint of bench.complaints()) console.log(`browser: ${complaint}`);
    for (const program of bench.programs) console.log(`program (${program.scene ?? "gallery"}) said:\n${program.said}`);
  }
  await within(30_000, bench.close()).catch((e) => console.log(`closing: ${e}`));
  return error === null;
}

const words = process.argv.slice(2);
const chosen = (await collect()).filter((t) => words.length === 0 || words.some((w) => t.name.includes(w)));
const tests = chosen.filter((t) => process.env.SITE || !t.name.startsWith("site"));
if (tests.length < chosen.length && words.length === 0) {
  console.error("SITE must name the folder of the site (cargo xtask site)");
  process.exit(2);
}
if (tests.length === 0) {
  console.error(`no test has ${words.join(" or ")} in its name`);
  process.exit(2);
}
const browser = await launch();
const start = performance.now();
let passed = 0;
for (const test of tests) {
  if (!(await runOne(browser, test))) break;
  passed += 1;
}
await browser.close();
const seconds = ((performance.now() - start) / 1000).toFixed(0);
console.log(`\n${passed} of ${tests.length} tests of the page passed in ${seconds} s`);
process.exit(passed === tests.length ? 0 : 1);
