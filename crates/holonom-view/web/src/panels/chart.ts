// One plot: quantities of one unit over time, with a legend that shows values and takes quantities away. Drawn by uPlot.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { button, h, setText } from "./dom";
import { colour } from "./theme";
import { number, tickText, unitText } from "./units";

/** What a plot needs of the panel. */
export interface ChartHost {
  /** The moment that is shown, if it is one of the past, s. */
  now(): number | null;
  seek(time: number): void;
  remove(name: string): void;
  slot(name: string): number;
}

const HEIGHT = 156;

export class Chart {
  readonly node: HTMLElement;
  private legend: HTMLElement;
  private area: HTMLElement;
  private plot: uPlot | null = null;
  private names: string[] = [];
  private values = new Map<string, HTMLElement>();
  private hovered = false;

  constructor(readonly unit: string, private host: ChartHost) {
    this.legend = h("div", { class: "legend" });
    this.area = h("div", { class: "chart-area" });
    this.node = h("section", { class: "chart", testid: "chart", attrs: { "data-unit": unit } }, this.legend, this.area);
  }

  setNames(names: string[]): void {
    if (names.join("\n") === this.names.join("\n")) return;
    this.names = names;
    this.values.clear();
    this.legend.replaceChildren(...names.map((name) => {
      const value = h("span", { class: "legend-value num", testid: "legend-value", attrs: { "data-name": name } });
      this.values.set(name, value);
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = this.colourOf(name);
      return h("div", { class: "legend-item" }, swatch, h("span", { class: "legend-name", text: name, title: name }), value,
        h("span", { class: "muted legend-unit", text: unitText(this.unit) }),
        button({ label: `Take ${name} away`, icon: "close", class: "button icon-button small", testid: "plot-remove", press: () => this.host.remove(name) }));
    }));
    this.rebuild();
  }

  /** New colours, or another set of lines. */
  rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    for (const [i, item] of [...this.legend.children].entries()) (item.firstElementChild as HTMLElement).style.background = this.colourOf(this.names[i]!);
  }

  /** Draws these rows. */
  draw(data: [number[], ...(number | null)[][]]): void {
    const width = this.area.clientWidth;
    if (width === 0) return;
    if (!this.plot) this.plot = new uPlot(this.options(width), data as uPlot.AlignedData, this.area);
    else {
      if (this.plot.width !== width) this.plot.setSize({ width, height: HEIGHT });
      this.plot.setData(data as uPlot.AlignedData);
    }
  }

  /** Draw the line of the present moment again. */
  mark(): void {
    this.plot?.redraw(false, false);
  }

  /** Values in the legend: those under the cursor, otherwise the present ones. */
  tell(present: Record<string, number | null>): void {
    if (this.hovered) return;
    for (const [name, node] of this.values) this.put(node, present[name]);
  }

  destroy(): void {
    this.plot?.destroy();
    this.node.remove();
  }

  private put(node: HTMLElement, value: number | null | undefined): void {
    setText(node, number(value));
    node.dataset.value = String(value ?? NaN);
  }

  private colourOf(name: string): string {
    return colour(`--series-${(this.host.slot(name) % 8) + 1}`);
  }

  private options(width: number): uPlot.Options {
    const axis: uPlot.Axis = {
      stroke: colour("--muted"),
      font: "11px system-ui, sans-serif",
      labelFont: "11px system-ui, sans-serif",
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line"), width: 1, size: 4 },
      values: (_, splits) => splits.map(tickText),
    };
    return {
      width,
      height: HEIGHT,
      padding: [8, 10, 0, 0],
      pxAlign: 0,
      legend: { show: false },
      cursor: { sync: { key: "holonom" }, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: { range: (_, min, max) => comfortable(min, max) } },
      axes: [
        { ...axis, size: 24, space: 60, gap: 3, values: (_, splits) => splits.map((s) => `${tickText(s)} s`) },
        { ...axis, size: 48, space: 28, gap: 3, label: unitText(this.unit) || "1", labelSize: 15, labelGap: 0 },
      ],
      series: [{}, ...this.names.map((name) => ({ label: name, stroke: this.colourOf(name), width: 1.5, points: { show: false } }))],
      hooks: {
        setCursor: [(u) => this.cursor(u)],
        draw: [(u) => this.drawNow(u)],
        ready: [(u) => u.over.addEventListener("click", () => {
          const left = u.cursor.left ?? -1;
          if (left >= 0) this.host.seek(u.posToVal(left, "x"));
        })],
      },
    };
  }

  private cursor(u: uPlot): void {
    const at = u.cursor.idx;
    this.hovered = at !== null && at !== undefined && (u.cursor.left ?? -1) >= 0;
    if (!this.hovered) return;
    this.names.forEach((name, i) => {
      const node = this.values.get(name);
      if (node) this.put(node, u.data[i + 1]?.[at!]);
    });
  }

  private drawNow(u: uPlot): void {
    const now = this.host.now();
    if (now === null) return;
    const x = u.valToPos(now, "x", true);
    const { left, top, width, height } = u.bbox;
    if (x < left || x > left + width) return;
    u.ctx.save();
    u.ctx.strokeStyle = colour("--warn");
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, top);
    u.ctx.lineTo(x, top + height);
    u.ctx.stroke();
    u.ctx.restore();
  }
}

/** Some room above and below; what differs by rounding only is drawn as the flat line it is. */
function comfortable(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [-1, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  const span = max - min;
  if (size < 1e-14) return [-1, 1];
  if (span < 1e-9 * size) return [(min + max) / 2 - 0.1 * size, (min + max) / 2 + 0.1 * size];
  return [min - 0.08 * span, max + 0.08 * span];
}
