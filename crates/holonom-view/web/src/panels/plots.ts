// The tab of plots: a searchable list of everything that can be plotted, and the plots. Quantities of one unit share a plot.

import type { App } from "../app";
import type { Frame } from "../frame";
import type { QuantityAnswer } from "../protocol";
import { Chart, type ChartHost } from "./chart";
import { button, h, setShown } from "./dom";
import type { Layout } from "./layout";
import { QuantityList } from "./quantitylist";
import { Table } from "./table";
import { MOST_WATCHED, type Catalogue, type Watcher } from "./watch";

const MOST_PLOTS = 8;
/** Quantities plotted at most: the rest of what may be watched is for the other panels. */
const MOST_PLOTTED = MOST_WATCHED - 24;
const WINDOWS: [string, number][] = [["all", Infinity], ["last 60 s", 60], ["last 20 s", 20], ["last 5 s", 5], ["last 1 s", 1]];
/** Shortest time between two drawings, ms. */
const PAUSE = 30;

export class Plots implements ChartHost {
  private table = new Table();
  private chosen: QuantityAnswer[] = [];
  private charts = new Map<string, Chart>();
  private area = h("div", { class: "charts", testid: "charts" });
  private empty = h("p", { class: "empty", text: "Nothing is plotted yet. Search for a quantity above and press its name, or press the plot sign next to a number in Inspect." });
  private tools: HTMLElement;
  private csv = h("a", { class: "button small", text: "CSV", title: "Download the recorded past of these quantities", testid: "plots-csv" });
  private list: QuantityList;
  private span = Infinity;
  private drawn = 0;
  private dirty = false;
  private slots = new Map<string, number>();
  private scene = "";

  constructor(private app: App, private layout: Layout, private watcher: Watcher, private catalogue: Catalogue) {
    this.list = new QuantityList(catalogue, (q) => this.toggle(q), (name) => this.has(name));
    const windows = h("select", { class: "select small", testid: "plot-window", label: "Span of time", title: "Span of time that is drawn" });
    for (const [text, span] of WINDOWS) windows.append(h("option", { text, attrs: { value: String(span) } }));
    windows.addEventListener("change", () => {
      this.span = Number(windows.value);
      this.redraw();
    });
    this.csv.setAttribute("download", "recording.csv");
    this.tools = h("div", { class: "row-tools" }, windows, h("span", { class: "spacer" }), this.csv,
      button({ label: "Take all plots away", text: "Clear", class: "button small", testid: "plots-clear", press: () => this.clear() }));
    layout.tabs.plots.append(this.list.node, this.tools, this.empty, this.area);
    app.on("frame", (frame) => this.see(frame));
    app.on("picture", (picture) => void this.newPicture(picture.name));
    app.on("connection", (c) => c === "open" && this.chosen.length > 0 && this.fetchPast());
    app.on("theme", () => {
      for (const chart of this.charts.values()) chart.rebuild();
      this.redraw();
    });
    layout.onTab((tab) => {
      if (tab !== "plots") return;
      this.list.refresh();
      this.redraw();
    });
    new ResizeObserver(() => this.redraw()).observe(this.area);
    this.arrange();
  }

  has(name: string): boolean {
    return this.chosen.some((q) => q.name === name);
  }

  /** Adds quantities and shows the tab. */
  add(quantities: QuantityAnswer[]): void {
    for (const q of quantities) {
      if (this.has(q.name)) continue;
      if (this.chosen.length >= MOST_PLOTTED) {
        this.app.emit("note", `At most ${MOST_PLOTTED} quantities can be plotted at once: take some away first.`);
        break;
      }
      const units = new Set([...this.chosen.map((c) => c.unit), q.unit]);
      if (units.size > MOST_PLOTS) {
        this.app.emit("note", `At most ${MOST_PLOTS} plots: take one away first.`);
        break;
      }
      this.chosen.push(q);
      this.giveSlot(q);
    }
    this.arrange();
    this.fetchPast();
  }

  show(): void {
    this.layout.open("plots");
  }

  remove(name: string): void {
    this.chosen = this.chosen.filter((q) => q.name !== name);
    this.slots.delete(name);
    this.arrange();
  }

  clear(): void {
    this.chosen = [];
    this.slots.clear();
    this.arrange();
  }

  now(): number | null {
    return this.app.frame?.past ? this.app.frame.time : null;
  }

  seek(time: number): void {
    const tick = this.table.tickAt(time);
    if (tick !== undefined) this.app.send({ do: "seek", tick });
  }

  slot(name: string): number {
    return this.slots.get(name) ?? 0;
  }

  /** The first colour that no other line of the same plot has. */
  private giveSlot(q: QuantityAnswer): void {
    const taken = new Set(this.chosen.filter((c) => c.unit === q.unit && c !== q).map((c) => this.slots.get(c.name)));
    let slot = 0;
    while (taken.has(slot)) slot++;
    this.slots.set(q.name, slot);
  }

  private toggle(q: QuantityAnswer): void {
    if (this.has(q.name)) this.remove(q.name);
    else this.add([q]);
  }

  /** Charts for the chosen quantities: new ones, none that is empty. */
  private arrange(): void {
    const names = this.chosen.map((q) => q.name);
    this.table.setNames(names);
    this.watcher.want("plots", names);
    const units = [...new Set(this.chosen.map((q) => q.unit))];
    for (const [unit, chart] of this.charts) {
      if (units.includes(unit)) continue;
      chart.destroy();
      this.charts.delete(unit);
    }
    for (const unit of units) {
      let chart = this.charts.get(unit);
      if (!chart) {
        chart = new Chart(unit, this);
        this.charts.set(unit, chart);
        this.area.append(chart.node);
      }
      chart.setNames(this.namesOf(unit));
    }
    setShown(this.empty, units.length === 0);
    setShown(this.tools, units.length > 0);
    this.csv.href = `/files/recording.csv?names=${names.map(encodeURIComponent).join(",")}`;
    this.list.refresh();
    this.redraw();
  }

  private namesOf(unit: string): string[] {
    return this.chosen.filter((q) => q.unit === unit).map((q) => q.name);
  }

  private fetchPast(): void {
    const names = this.chosen.map((q) => q.name);
    if (names.length === 0) return;
    this.app.ask({ about: "backlog", names }).then(
      (past) => {
        this.table.takePast(past);
        this.redraw();
      },
      (error: Error) => this.app.connection === "open" && this.app.emit("error", { message: `The past could not be read: ${error.message}` }),
    );
  }

  /** Another scene, or the same with another structure: what is still there stays. */
  private async newPicture(scene: string): Promise<void> {
    const same = scene === this.scene;
    this.scene = scene;
    this.list.refresh();
    if (this.chosen.length === 0) return;
    if (!same) this.table.clear();
    try {
      this.chosen = await this.catalogue.still(this.chosen);
      this.arrange();
      this.fetchPast();
    } catch {
      // the connection is gone; another picture comes with the next one
    }
  }

  private see(frame: Frame): void {
    this.dirty = this.table.see(frame) || this.dirty;
    if (this.layout.current() !== "plots" || this.chosen.length === 0) return;
    for (const chart of this.charts.values()) chart.tell(frame.values);
    const now = performance.now();
    if (now - this.drawn < PAUSE) return;
    if (this.dirty) this.redraw();
    else if (frame.past) for (const chart of this.charts.values()) chart.mark();
    this.drawn = now;
  }

  private redraw(): void {
    if (this.layout.current() !== "plots") return;
    for (const [unit, chart] of this.charts) chart.draw(this.table.window(this.namesOf(unit), this.span));
    this.dirty = false;
  }
}
