// Answers of the program to questions: the same as `numbers.rs`, in TypeScript.

export interface Quantity {
  name: string;
  unit: string;
  note?: string;
}

/** Recorded quantities; the first of them is `time`. */
export interface Backlog {
  names: string[];
  units: string[];
  ticks: number[];
  /** One list for each name. */
  values: (number | null)[][];
}

export interface GalleryScene {
  name: string;
  title: string;
  description: string;
  bodies?: number;
  joints?: number;
  /** Lines to draw it with: x y x y ..., m. */
  sketch?: number[][];
}

export interface Gallery {
  /** Name of the scene that the program was started with, if it was started with one. */
  own: string | null;
  scenes: GalleryScene[];
}

export interface Sentence {
  text: string;
  level: "good" | "note" | "warn";
  /** What it speaks of: `joint.A`, `body.crank`. */
  paths: string[];
}

export interface Row {
  joint: string;
  row: number;
  holds: string;
}

/** The doctor's report. */
export interface Doctor {
  sentences: Sentence[];
  bodies: number;
  joints: number;
  rows: number;
  rank: number;
  mobility: number;
  loops: number;
  gap: number;
  redundant: { rows: Row[]; dropped: Row[] }[];
  not_unique: Row[];
}

/** Where energy went since the start, J. */
export interface Ledger {
  /** Change of kinetic, gravitational and stored energy. */
  change: number;
  lines: { label: string; path?: string | null; work: number }[];
  /** What is left: the integrator's own error. */
  error: number;
}

/** Rows or columns of a matrix that belong to one thing. */
export interface Band {
  path: string;
  from: number;
  count: number;
}

/** Where a matrix has entries. */
export interface Spy {
  rows: number;
  columns: number;
  row_bands: Band[];
  column_bands: Band[];
  /** row, column, rows, columns, 1 where elimination made it. */
  blocks: [number, number, number, number, number][];
}
