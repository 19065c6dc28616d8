// Spy plots: where the matrices of the equations have entries. They belong to bodies and joints: hovering names them, a press points them out.
// Two layers: the entries are drawn once, what is pointed at lies above them.

import type { App } from "../app";
import type { Part, Spy } from "./answers";
import { button, h, segments, setText } from "./dom";
import { spyOf, type SpyAnswer } from "./received";
import type { Layout } from "./layout";
import { colour } from "./theme";

type Name = "J" | "H" | "A" | "L";

const MATRICES: [Name, string][] = [
  ["J", "conditions of joints by velocities of bodies"],
  ["H", "masses and joints, in the order of elimination"],
  ["L", "the factor of H"],
  ["A", "conditions of joints that share a body"],
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
  private spy: Spy | null = null;
  /** Entries by row * columns + column (blocks by a negative number): were they made by elimination? */
  private entries = new Map<number, boolean>();
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
    this.app.ask<SpyAnswer>({ about: "spy", matrix: this.chosen }).then(
      (spy) => {
        if (key === this.asked) this.take(spyOf(spy));
      },
      (error: Error) => {
        this.asked = "";
        setText(this.facts, `The matrix could not be read: ${error.message}`);
      },
    );
  }

  private take(spy: Spy): void {
    this.spy = spy;
    this.hover = null;
    this.entries.clear();
    for (let i = 0; i + 2 < spy.entries.length; i += 3) this.entries.set(spy.entries[i]! * spy.columns + spy.entries[i + 1]!, spy.entries[i + 2] === 1);
    for (let i = 0; i + 2 < spy.blocks.length; i += 3) this.entries.set(-1 - (spy.blocks[i]! * spy.column_parts.length + spy.blocks[i + 1]!), spy.blocks[i + 2] === 1);
    const part = (100 * spy.count) / Math.max(1, spy.rows * spy.columns);
    const many = (n: number) => n.toLocaleString("en");
    setText(this.title, spy.about);
    setText(this.facts, `${many(spy.rows)} × ${many(spy.columns)}, ${many(spy.count)} entries (${part < 0.1 ? part.toPrecision(1) : part.toFixed(1)} %)${this.chosen === "L" ? `; ${spy.fill === 0 ? "elimination added none" : `elimination added ${many(spy.fill)}`}` : ""}.`);
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
    this.lines(c, scale);
    const [plain, made] = [colour("--view-primary"), colour("--view-loop")];
    // neighbours stay apart where there is room, and nothing vanishes where there is none
    const gap = scale >= 4 ? 1 : 0;
    const size = Math.max(scale - gap, 0.75);
    for (let i = 0; i + 2 < spy.entries.length; i += 3) {
      c.fillStyle = spy.entries[i + 2] ? made : plain;
      c.fillRect(spy.entries[i + 1]! * scale, spy.entries[i]! * scale, size, size);
    }
    for (let i = 0; i + 2 < spy.blocks.length; i += 3) {
      const [row, column] = [spy.row_parts[spy.blocks[i]!]!, spy.column_parts[spy.blocks[i + 1]!]!];
      c.fillStyle = spy.blocks[i + 2] ? made : plain;
      c.fillRect(column.start * scale, row.start * scale, Math.max((column.end - column.start) * scale, 0.75), Math.max((row.end - row.start) * scale, 0.75));
    }
    this.drawOver();
  }

  /** Fine lines between bodies and joints while they are far enough apart. */
  private lines(c: CanvasRenderingContext2D, scale: number): void {
    const spy = this.spy!;
    c.fillStyle = colour("--line");
    for (const p of spy.row_parts) if ((p.end - p.start) * scale >= 6 && p.start > 0) c.fillRect(0, p.start * scale - 0.5, spy.columns * scale, 1);
    for (const p of spy.column_parts) if ((p.end - p.start) * scale >= 6 && p.start > 0) c.fillRect(p.start * scale - 0.5, 0, 1, spy.rows * scale);
  }

  private drawOver(): void {
    const spy = this.spy!;
    const c = this.sheet(this.over);
    if (!this.hover) return;
    const scale = this.scale();
    const [row, column] = [partAt(spy.row_parts, this.hover.row), partAt(spy.column_parts, this.hover.column)];
    c.globalAlpha = 0.22;
    c.fillStyle = colour("--accent");
    if (row) c.fillRect(0, row.start * scale, spy.columns * scale, (row.end - row.start) * scale);
    if (column) c.fillRect(column.start * scale, 0, (column.end - column.start) * scale, spy.rows * scale);
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
    const [rowPart, columnPart] = [partAt(spy.row_parts, row), partAt(spy.column_parts, column)];
    const block = -1 - (spy.row_parts.indexOf(rowPart!) * spy.column_parts.length + spy.column_parts.indexOf(columnPart!));
    const entry = this.entries.get(row * spy.columns + column) ?? this.entries.get(block);
    setText(this.under, `Row ${row + 1}: ${words(rowPart)}. Column ${column + 1}: ${words(columnPart)}. ${entry === undefined ? "Empty." : entry ? "Made by elimination." : "An entry."}`);
    this.drawOver();
  }

  private leave(): void {
    this.hover = null;
    setText(this.under, HINT);
    if (this.spy) this.drawOver();
  }

  private pathsUnder(): string[] {
    if (!this.spy || !this.hover) return [];
    const parts = [partAt(this.spy.row_parts, this.hover.row), partAt(this.spy.column_parts, this.hover.column)];
    return [...new Set(parts.flatMap((p) => (p ? [`${p.kind}.${p.name}`] : [])))];
  }
}

/** The body or joint that a row or column belongs to; parts are in order. */
function partAt(parts: Part[], at: number): Part | undefined {
  let [low, high] = [0, parts.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const part = parts[middle]!;
    if (at < part.start) high = middle - 1;
    else if (at >= part.end) low = middle + 1;
    else return part;
  }
  return undefined;
}

function words(part: Part | undefined): string {
  return part ? `${part.kind} ${part.name}` : "nothing";
}
