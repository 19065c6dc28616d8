// Spy plots: where the matrices of the equations have entries. They belong to bodies and joints: hovering names them, a press points them out.
// Two layers: the entries are drawn once, what is pointed at lies above them.

import type { App } from "../app";
import type { MatrixBand, SpyAnswer } from "../protocol";
import { button, h, segments, setText } from "./dom";
import type { Layout } from "./layout";
import { colour } from "./theme";

type Name = "J" | "H" | "A" | "L";

const MATRICES: [Name, string][] = [
  ["J", "one row for each condition of a joint, one column for each velocity of a body"],
  ["H", "masses of bodies and the joints between them, in the order of elimination"],
  ["L", "the factor of H; what elimination added is coloured"],
  ["A", "J M⁻¹ Jᵀ: conditions of joints that share a body"],
];
/** Largest size of an entry, CSS pixels. */
const LARGEST = 14;
const HINT = "Point at the matrix to see what its rows and columns belong to; press to show them in the view.";

export class Matrix {
  private base = h("canvas", { class: "spy" });
  private over = h("canvas", { class: "spy spy-over", testid: "spy", label: "Pattern of the matrix", role: "img" });
  private wrap: HTMLElement;
  private title = h("p", { class: "muted" });
  private facts = h("p", { class: "muted spy-facts", testid: "spy-facts" });
  private under = h("p", { class: "spy-under num", testid: "spy-under", text: HINT });
  private choice: { node: HTMLElement; put: (name: Name) => void };
  private chosen: Name = "J";
  private asked = "";
  private spy: SpyAnswer | null = null;
  /** Blocks by their first row and column: were they made by elimination? */
  private blocks = new Map<string, boolean>();
  private hover: { row: number; column: number } | null = null;

  constructor(private app: App, private layout: Layout) {
    this.choice = segments("Matrix", "", MATRICES.map(([name, title]) => ({
      value: name,
      button: button({ label: `${name}: ${title}`, text: name, class: "segment", testid: `spy-${name}`, press: () => this.choose(name) }),
    })));
    this.wrap = h("div", { class: "spy-wrap" }, this.base, this.over);
    const box = h("div", { class: "spy-box" }, this.wrap);
    layout.tabs.matrix.append(h("div", { class: "row-tools first" }, this.choice.node), this.title, box, this.under, this.facts);
    this.over.addEventListener("pointermove", (event) => this.point(event));
    this.over.addEventListener("pointerleave", () => this.leave());
    this.over.addEventListener("click", (event) => {
      this.point(event);
      this.app.pointOut(this.pathsUnder());
    });
    app.on("picture", () => this.askIfNew());
    app.on("theme", () => this.draw());
    layout.onTab((tab) => {
      if (tab !== "matrix") return;
      this.askIfNew();
      this.draw();
    });
    new ResizeObserver(() => this.draw()).observe(box);
    this.choose("J");
  }

  private choose(name: Name): void {
    this.chosen = name;
    this.choice.put(name);
    this.askIfNew();
  }

  private askIfNew(): void {
    const key = `${this.chosen} ${this.app.picture?.revision}`;
    if (!this.app.picture || this.layout.current() !== "matrix" || key === this.asked) return;
    this.asked = key;
    this.app.ask({ about: "spy", matrix: this.chosen }).then(
      (spy) => {
        if (key === this.asked) this.take(spy);
      },
      (error: Error) => {
        this.asked = "";
        setText(this.facts, `The matrix could not be read: ${error.message}`);
      },
    );
  }

  private take(spy: SpyAnswer): void {
    this.spy = spy;
    this.hover = null;
    this.blocks = new Map(spy.blocks.map(([row, column, , , fill]) => [`${row} ${column}`, fill === 1]));
    const part = (100 * spy.entries) / Math.max(1, spy.rows * spy.columns);
    const many = (n: number) => n.toLocaleString("en");
    setText(this.title, `${this.chosen}: ${MATRICES.find(([name]) => name === this.chosen)![1]}.`);
    setText(this.facts, `${many(spy.rows)} × ${many(spy.columns)}, ${many(spy.entries)} entries (${part < 0.1 ? part.toPrecision(1) : part.toFixed(1)} %)${this.chosen === "L" ? `; ${spy.fill === 0 ? "elimination added none" : `elimination added ${many(spy.fill)}`}` : ""}.`);
    setText(this.under, HINT);
    this.draw();
  }

  private scale(): number {
    const spy = this.spy!;
    const room = this.wrap.parentElement!.clientWidth;
    return Math.min(LARGEST, room / Math.max(spy.columns, spy.rows, 1));
  }

  /** A canvas of the matrix's size, in CSS pixels from here on. */
  private sheet(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
    const spy = this.spy!;
    const scale = this.scale();
    const dense = devicePixelRatio;
    const [w, hgt] = [spy.columns * scale, spy.rows * scale];
    canvas.width = Math.max(1, Math.round(w * dense));
    canvas.height = Math.max(1, Math.round(hgt * dense));
    canvas.style.width = `${w}px`;
    canvas.style.height = `${hgt}px`;
    const c = canvas.getContext("2d")!;
    c.scale(dense, dense);
    return c;
  }

  private draw(): void {
    const spy = this.spy;
    if (!spy || this.layout.current() !== "matrix" || this.wrap.parentElement!.clientWidth === 0) return;
    const scale = this.scale();
    const c = this.sheet(this.base);
    c.fillStyle = colour("--raised");
    c.fillRect(0, 0, spy.columns * scale, spy.rows * scale);
    const [plain, made] = [colour("--view-primary"), colour("--view-loop")];
    for (const [row, column, rows, columns, fill] of spy.blocks) {
      c.fillStyle = fill ? made : plain;
      const [x, y, w, hgt] = [column * scale, row * scale, Math.max(columns * scale, 0.75), Math.max(rows * scale, 0.75)];
      // of the factor only the lower triangle is there
      if (this.chosen === "L" && row === column && rows * scale >= 3) {
        for (let k = 0; k < rows; k++) c.fillRect(x, y + k * scale, (k + 1) * scale, scale + 0.25);
      } else c.fillRect(x, y, w, hgt);
    }
    this.lines(c, scale);
    this.drawOver();
  }

  /** Fine lines between bodies and joints while they are far enough apart. */
  private lines(c: CanvasRenderingContext2D, scale: number): void {
    const spy = this.spy!;
    c.fillStyle = colour("--line");
    for (const { from, count } of spy.row_bands) if (count * scale >= 6 && from > 0) c.fillRect(0, from * scale - 0.5, spy.columns * scale, 1);
    for (const { from, count } of spy.column_bands) if (count * scale >= 6 && from > 0) c.fillRect(from * scale - 0.5, 0, 1, spy.rows * scale);
  }

  private drawOver(): void {
    const spy = this.spy!;
    const c = this.sheet(this.over);
    if (!this.hover) return;
    const scale = this.scale();
    const [row, column] = [bandAt(spy.row_bands, this.hover.row), bandAt(spy.column_bands, this.hover.column)];
    c.globalAlpha = 0.22;
    c.fillStyle = colour("--accent");
    if (row) c.fillRect(0, row.from * scale, spy.columns * scale, row.count * scale);
    if (column) c.fillRect(column.from * scale, 0, column.count * scale, spy.rows * scale);
  }

  private point(event: MouseEvent): void {
    const spy = this.spy;
    if (!spy) return;
    const at = this.over.getBoundingClientRect();
    const scale = this.scale();
    const row = Math.floor((event.clientY - at.top) / scale);
    const column = Math.floor((event.clientX - at.left) / scale);
    if (row < 0 || column < 0 || row >= spy.rows || column >= spy.columns) return;
    this.hover = { row, column };
    const [rowBand, columnBand] = [bandAt(spy.row_bands, row), bandAt(spy.column_bands, column)];
    const upper = this.chosen === "L" && column > row;
    const entry = upper ? undefined : this.blocks.get(`${rowBand?.from} ${columnBand?.from}`);
    setText(this.under, `Row ${row + 1}: ${words(rowBand)}. Column ${column + 1}: ${words(columnBand)}. ${entry === undefined ? "Empty." : entry ? "Made by elimination." : "An entry."}`);
    this.drawOver();
  }

  private leave(): void {
    this.hover = null;
    setText(this.under, HINT);
    if (this.spy) this.drawOver();
  }

  private pathsUnder(): string[] {
    if (!this.spy || !this.hover) return [];
    const bands = [bandAt(this.spy.row_bands, this.hover.row), bandAt(this.spy.column_bands, this.hover.column)];
    return [...new Set(bands.flatMap((band) => (band ? [band.path] : [])))];
  }
}

/** The body or joint that a row or column belongs to; bands are in order. */
function bandAt(bands: MatrixBand[], at: number): MatrixBand | undefined {
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

function words(band: MatrixBand | undefined): string {
  return band ? band.path.replace(".", " ") : "nothing";
}
