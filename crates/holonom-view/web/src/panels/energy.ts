// The energy ledger: what there is now, and where the rest came from and went. The lines add up to the change, to the integrator's error, which
// is a line of its own.

import type { App } from "../app";
import type { Frame } from "../frame";
import type { LedgerAnswer } from "../protocol";
import { h, setText } from "./dom";
import type { Layout } from "./layout";
import { number } from "./units";
import type { Watcher } from "./watch";

/** Between two questions, ms. */
const PAUSE = 500;
const MOST_LINES = 220;
/** Comes with the frames while this tab is seen. */
const ELASTIC = "energy.elastic";

type Name = "kinetic" | "potential" | "gravity" | "elastic" | "total";

export class Energy {
  private now: Record<Name, HTMLElement>;
  private bars: Record<"kinetic" | "potential", HTMLElement>;
  private table = h("table", { class: "ledger", testid: "ledger" });
  private message = h("p", { class: "muted" });
  private last = "";
  private asking = false;
  private drawn = 0;

  constructor(private app: App, private layout: Layout, watcher: Watcher) {
    const cell = (name: string) => h("span", { class: "energy-value num", testid: `energy-${name}`, text: "–" });
    this.now = { kinetic: cell("kinetic"), potential: cell("potential"), gravity: cell("gravity"), elastic: cell("elastic"), total: cell("total") };
    this.bars = { kinetic: h("span", { class: "bar-part kinetic" }), potential: h("span", { class: "bar-part potential" }) };
    const line = (name: Name, text: string) => h("div", { class: `energy-line ${name}-line` }, h("span", { class: `key ${name}` }), h("span", { text }), this.now[name], h("span", { class: "muted", text: "J" }));
    layout.tabs.energy.append(
      h("div", { class: "bar", title: "Shares of kinetic and potential energy by size" }, this.bars.kinetic, this.bars.potential),
      h("div", { class: "energy-now" }, line("kinetic", "Kinetic"), line("potential", "Potential"), line("gravity", "of gravity"), line("elastic", "in springs and elastic bodies"), line("total", "Together")),
      h("h3", { class: "gap-above", text: "Where energy came from and went, since the start" }),
      this.message, this.table,
    );
    app.on("frame", (frame) => this.see(frame));
    app.on("picture", () => {
      this.last = "";
      void this.ask();
    });
    layout.onTab((tab) => {
      watcher.want("energy", tab === "energy" ? [ELASTIC] : []);
      if (tab === "energy") void this.ask();
      if (tab === "energy" && app.frame) this.see(app.frame);
    });
    window.setInterval(() => void this.ask(), PAUSE);
  }

  private see(frame: Frame): void {
    const now = performance.now();
    if (this.layout.current() !== "energy" || (frame.playing && now - this.drawn < 100)) return;
    this.drawn = now;
    const { kinetic, potential } = frame;
    const elastic = frame.values[ELASTIC] ?? NaN;
    const all = { kinetic, potential, gravity: potential - elastic, elastic, total: kinetic + potential };
    for (const [name, value] of Object.entries(all) as [Name, number][]) {
      setText(this.now[name], number(value));
      this.now[name].dataset.value = String(value);
    }
    const whole = Math.abs(kinetic) + Math.abs(potential) || 1;
    this.bars.kinetic.style.width = `${(100 * Math.abs(kinetic)) / whole}%`;
    this.bars.potential.style.width = `${(100 * Math.abs(potential)) / whole}%`;
  }

  private async ask(): Promise<void> {
    if (this.asking || this.layout.current() !== "energy" || this.app.connection !== "open" || !this.app.picture) return;
    this.asking = true;
    try {
      this.fill(await this.app.ask({ about: "ledger" }));
      setText(this.message, "");
    } catch (error) {
      setText(this.message, `The ledger could not be read: ${(error as Error).message}`);
    } finally {
      this.asking = false;
    }
  }

  private fill(ledger: LedgerAnswer): void {
    const text = JSON.stringify(ledger);
    if (text === this.last) return;
    this.last = text;
    const lines = ledger.lines.slice(0, MOST_LINES);
    const most = Math.max(...lines.map((l) => Math.abs(l.work)), Math.abs(ledger.change), 1e-300);
    const rows = lines.map((l) => this.row(l.label, l.work, most, l.path, l.kind === "projection" || l.kind === "joints" ? "error" : ""));
    this.table.replaceChildren(
      h("thead", {}, h("tr", {}, h("th", { text: "Work of", attrs: { scope: "col" } }), h("th", { attrs: { "aria-hidden": "true" } }), h("th", { class: "right", text: "J", attrs: { scope: "col" } }))),
      h("tbody", {}, ...rows, this.row("Error of the integrator", ledger.error, most, null, "error"), this.row("Change of energy", ledger.change, most, null, "sum")),
    );
  }

  private row(label: string, work: number, most: number, path: string | null, kind: string): HTMLElement {
    const bar = h("span", { class: work < 0 ? "ledger-bar minus" : "ledger-bar plus" });
    bar.style.width = `${(50 * Math.min(1, Math.abs(work) / most)).toFixed(1)}%`;
    const name = path
      ? h("button", { class: "jump", type: "button", text: label, title: `Show ${path} in the view`, on: { click: () => this.app.pointOut([path]) } })
      : h("span", { text: capital(label) });
    return h("tr", { class: kind, testid: "ledger-row" }, h("td", {}, name), h("td", { class: "ledger-bars" }, bar), h("td", { class: "right num", text: number(work), attrs: { "data-value": String(work) } }));
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
