// Spy plots: where the matrices of the equations have entries. Blocks belong to bodies and joints: hovering names them, a press points them out.

import type { App } from "../app";
import type { Band, Spy } from "./answers";
import { button, h, segments, setText } from "./dom";
import type { Layout } from "./layout";
import { colour } from "./theme";

type Name = "J" | "H" | "A" | "L";

const MATRICES: [Name, string][] = [
  ["J", "Constraint rows (joints) by velocity coordinates (bodies)"],
  ["H", "M, J and Jᵀ together, in the order of elimination"],
  ["L", "The factor of H; what elimination adds is coloured"],
  ["A", "J M⁻¹ Jᵀ: joints by joints"],
];
/** Room around the drawing, CSS pixels. */
const EDGE = 1;
/** Largest size of an entry, CSS pixels. */
const LARGEST = 14;

export class Matrix {
  private canvas = h("canvas", { class: "spy", testid: "spy" });
  private wrap: HTMLElement;
  private facts = h("p", { class: "muted spy-facts", testid: "spy-facts" });
  private under = h("p", { class: "spy-under num", testid: "spy-under" });
  private chosen: Name = "J";
  private asked = "";
  private spy: Spy | null = null;
  private hover: { row: number; column: number } | null = null;

  constructor(private app: App, private layout: Layout) {
    const group = segments("Matrix", "", MATRICES.map(([name, title]) => ({
      value: name,
      button: button({ label: `${name}: ${title}`, text: name, class: "segment", testid: `spy-${name}`, press: () => this.choose(name) }),
    })));
    this.choose = (name: Name) => {
      this.chosen = name;
      group.put(name);
      setText(title, MATRICES.find(([n]) => n === name)![1]);
      this.askIfNew();
    };
    const title = h("p", { class: "muted" });
    this.wrap = h("div", { class: "spy-wrap" }, this.canvas);
    layout.tabs.matrix.append(h("div", { class: "row-tools first" }, group.node), title, this.wrap, this.under, this.facts);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("click", (event) => {
      this.point(event);
      this.app.pointOut(this.pathsUnder());
    });
    app.on("picture", () => this.askIfNew());
    app.on("theme", () => this.draw());
    layout.onTab((tab) => {
      if (tab === "matrix") {
        this.askIfNew();
        this.draw();
      }
    });
    new ResizeObserver(() => this.draw()).observe(this.wrap);
    this.choose("J");
  }

  private choose: (name: Name) => void;

  private askIfNew(): void {
    const key = `${this.chosen} ${this.app.picture?.revision}`;
    if (!this.app.picture || this.layout.current() !== "matrix" || key === this.asked) return;
    this.asked = key;
    this.app.ask<Spy>({ about: "spy", matrix: this.chosen }).then(
      (spy) => {
        if (key !== this.asked) return;
        this.spy = spy;
        this.hover = null;
        const fill = spy.blocks.filter((b) => b[4]).reduce((n, b) => n + b[2] * b[3], 0);
        const entries = spy.blocks.reduce((n, b) => n + b[2] * b[3], 0);
        const part = (100 * entries) / Math.max(1, spy.rows * spy.columns);
        setText(this.facts, `${spy.rows} × ${spy.columns}, ${entries.toLocaleString("en")} entries (${part < 0.1 ? part.toPrecision(1) : part.toFixed(1)} % of the matrix)${fill > 0 ? `, ${fill.toLocaleString("en")} of them made by elimination` : ""}.`);
        setText(this.under, "Point at a block to see what it belongs to.");
        this.draw();
      },
      (error: Error) => {
        this.asked = "";
        setText(this.facts, `The matrix could not be read: ${error.message}`);
      },
    );
  }

  private scale(): number {
    const spy = this.spy!;
    return Math.min(LARGEST, (this.wrap.clientWidth - 2 * EDGE) / Math.max(spy.columns, spy.rows, 1));
  }

  private draw(): void {
    const spy = this.spy;
    const width = this.wrap.clientWidth;
    if (!spy || width === 0) return;
    const scale = this.scale();
    const [w, hgt] = [spy.columns * scale + 2 * EDGE, spy.rows * scale + 2 * EDGE];
    const dense = devicePixelRatio;
    this.canvas.width = Math.ceil(w * dense);
    this.canvas.height = Math.ceil(hgt * dense);
    this.canvas.style.width = `${w}px`;
    this.canvas.style.height = `${hgt}px`;
    const c = this.canvas.getContext("2d")!;
    c.scale(dense, dense);
    c.translate(EDGE, EDGE);
    c.fillStyle = colour("--raised");
    c.fillRect(-EDGE, -EDGE, w, hgt);
    this.bands(c, scale);
    const [plain, made] = [colour("--view-primary"), colour("--view-loop")];
    // neighbours stay apart where there is room, and nothing vanishes where there is none
    const inset = scale * 2 > 4 ? 0.5 : 0;
    for (const [row, column, rows, columns, fill] of spy.blocks) {
      c.fillStyle = fill ? made : plain;
      c.fillRect(column * scale + inset, row * scale + inset, Math.max(columns * scale - 2 * inset, 0.75), Math.max(rows * scale - 2 * inset, 0.75));
    }
  }

  /** The row and column under the pointer, and fine lines between things while they are far enough apart. */
  private bands(c: CanvasRenderingContext2D, scale: number): void {
    const spy = this.spy!;
    c.strokeStyle = colour("--line");
    c.lineWidth = 1;
    c.beginPath();
    for (const band of spy.row_bands) {
      if (band.count * scale < 6) continue;
      c.moveTo(0, band.from * scale);
      c.lineTo(spy.columns * scale, band.from * scale);
    }
    for (const band of spy.column_bands) {
      if (band.count * scale < 6) continue;
      c.moveTo(band.from * scale, 0);
      c.lineTo(band.from * scale, spy.rows * scale);
    }
    c.stroke();
    if (!this.hover) return;
    const [row, column] = [bandAt(spy.row_bands, this.hover.row), bandAt(spy.column_bands, this.hover.column)];
    c.fillStyle = colour("--accent-soft");
    if (row) c.fillRect(0, row.from * scale, spy.columns * scale, row.count * scale);
    if (column) c.fillRect(column.from * scale, 0, column.count * scale, spy.rows * scale);
  }

  private point(event: MouseEvent): void {
    if (!this.spy) return;
    const at = this.canvas.getBoundingClientRect();
    const scale = this.scale();
    const row = Math.floor((event.clientY - at.top - EDGE) / scale);
    const column = Math.floor((event.clientX - at.left - EDGE) / scale);
    if (row < 0 || column < 0 || row >= this.spy.rows || column >= this.spy.columns) return;
    this.hover = { row, column };
    const block = this.spy.blocks.find(([r, k, n, m]) => row >= r && row < r + n && column >= k && column < k + m);
    const [rowBand, columnBand] = [bandAt(this.spy.row_bands, row), bandAt(this.spy.column_bands, column)];
    setText(this.under, `Row ${row + 1} ${words(rowBand)} · column ${column + 1} ${words(columnBand)}${block ? (block[4] ? " · made by elimination" : "") : " · empty"}`);
    this.draw();
  }

  private leave(): void {
    this.hover = null;
    setText(this.under, "Point at a block to see what it belongs to.");
    this.draw();
  }

  private pathsUnder(): string[] {
    if (!this.spy || !this.hover) return [];
    const paths = [bandAt(this.spy.row_bands, this.hover.row)?.path, bandAt(this.spy.column_bands, this.hover.column)?.path];
    return [...new Set(paths.filter((p): p is string => !!p))];
  }
}

function bandAt(bands: Band[], at: number): Band | undefined {
  let [low, high] = [0, bands.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const band = bands[middle]!;
    if (at < band.from) high = middle - 1;
    else if (at >= band.from + band.count) low = middle + 1;
    else return band;
  }
  return undefined;
}

function words(band: Band | undefined): string {
  return band ? `(${band.path.replace(".", " ")})` : "";
}
