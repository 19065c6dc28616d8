// What axe-core finds against the page and the book: nothing that it calls serious, in both colours, with every panel and sheet open.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { check } from "./lib/check.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious and critical findings in what is seen now, added to a list: all are worth knowing. */
async function findings(page, what, all) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  // in the dark, only colours are others
  const found = await page.evaluate(async (only) => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"], ...(only && { runOnly: only }) });
    return violations.filter((v) => ["serious", "critical"].includes(v.impact)).map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 4).map((n) => `${n.html.slice(0, 160)} ${n.failureSummary?.split("\n")[1] ?? ""}`).join(" | ")}`);
  }, what.includes("dark") ? ["color-contrast"] : null);
  // what stands in every panel is told once
  all.push(...found.filter((text) => !all.some((t) => t.endsWith(text))).map((text) => `${what}: ${text}`));
}

const none = (all) => check(all.length === 0, () => `axe finds\n${all.join("\n")}`);

async function panels(bench) {
  const site = await bench.site();
  const all = [];
  for (const [theme, width] of [["light", 1280], ["dark", 1280], ["light", 400]]) {
    const client = await bench.client(site, { at: "#scene=door-3-hinges", theme, width, height: 760 });
    await client.send({ do: "step", ticks: 20 });
    await client.until(() => window.holonom.app.frame.time > 0, "some time");
    for (const tab of width < 800 ? ["plots", "build"] : ["inspect", "plots", "doctor", "energy", "matrix", "build"]) {
      await client.click(`tab-${tab}`);
      await client.page.waitForTimeout(150);
      await findings(client.page, `${tab}, ${theme}, ${width} px`, all);
    }
    await client.page.evaluate(() => window.holonom.app.select({ kind: "joint", name: "middle" }));
    await client.click("tab-inspect");
    await client.part("inspect-title").first().waitFor().catch(() => {});
    await findings(client.page, `a joint, ${theme}, ${width} px`, all);
    for (const sheet of ["see", "downloads", "help"]) {
      await client.click(sheet);
      await findings(client.page, `${sheet}, ${theme}, ${width} px`, all);
      await client.page.keyboard.press("Escape");
    }
    await client.click("scene");
    await client.part("gallery-card").first().waitFor();
    await findings(client.page, `the gallery, ${theme}, ${width} px`, all);
  }
  const first = await bench.client(site);
  await findings(first.page, "the first page", all);
  none(all);
}

async function book(bench) {
  const site = await bench.site();
  const all = [];
  for (const theme of ["light", "dark"]) {
    const context = await bench.browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: theme, bypassCSP: true });
    const page = await context.newPage();
    try {
      for (const name of ["index", "loads", "faq", "guides/scenes", "guides/verification"]) {
        await page.goto(`${site.url}book/${name}.html`);
        await findings(page, `the book, ${name}, ${theme}`, all);
      }
    } finally {
      await context.close();
    }
  }
  none(all);
}

export default [
  { name: "panels, sheets, gallery", run: panels, limit: 300_000 },
  { name: "the book", run: book },
];
