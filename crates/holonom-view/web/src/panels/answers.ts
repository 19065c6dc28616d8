// Answers of the program to questions: the same as `numbers.rs`, in TypeScript.

/** Something that can be watched. */
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
  /** What it belongs to: a heading. */
  group?: string;
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
  /** Problems with known answers. */
  verification?: GalleryScene[];
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
  /** Reactions with components that are not unique, world axes: the split with the smallest loads. N and N m. */
  loads: { joint: string; force: number[]; torque: number[]; force_unique: boolean[]; torque_unique: boolean[] }[];
}

/** Where energy went since the start; all in J, positive works gave energy to the bodies. */
export interface Ledger {
  kinetic: number;
  gravity: number;
  elastic: number;
  total: number;
  /** Change of kinetic, gravitational and stored energy: the sum of all lines, and the error. */
  change: number;
  lines: { label: string; kind: string; path: string | null; work: number }[];
  /** What is left: the integrator's own error. */
  error: number;
  /** What friction, contacts and damping took; a part of the lines. */
  dissipated: number;
}

/** Rows or columns of one body or joint. */
export interface Band {
  path: string;
  from: number;
  count: number;
}

/** Where a matrix has entries. */
export interface Spy {
  matrix: string;
  rows: number;
  columns: number;
  row_bands: Band[];
  column_bands: Band[];
  /** First row, first column, rows, columns, 1 where elimination made it. Of L those on the diagonal are lower triangles. */
  blocks: [number, number, number, number, number][];
  entries: number;
  fill: number;
}
