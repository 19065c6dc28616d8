// Answers of the program to questions, as the panels use them. Those that the program says in another form pass through `received.ts`.

export interface Quantity {
  name: string;
  unit: string;
  note?: string;
}

/** What can be watched. */
export interface Quantities {
  /** The whole first, then bodies, joints, forces. */
  groups: { title: string; kind: string; path: string | null; quantities: Quantity[] }[];
  /** What further bodies, joints and forces have, which are too many to be listed: `label` follows the name and a dot. */
  patterns: { of: "body" | "joint" | "force"; label: string; unit: string }[];
  note: string;
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
  /** Change of kinetic, gravitational and stored energy: the sum of the works. */
  change: number;
  works: { title: string; kind: string; path: string | null; work: number }[];
  /** What friction, contacts and damping took. */
  dissipated: number;
  /** The integrator's own error. */
  error: number;
}

/** Rows or columns of one body or joint, `end` not included. */
export interface Part {
  name: string;
  kind: "body" | "joint";
  start: number;
  end: number;
}

/** Where a matrix has entries: one by one, or by blocks where there are very many. */
export interface Spy {
  matrix: string;
  about: string;
  rows: number;
  columns: number;
  count: number;
  fill: number;
  /** row, column, 1 if made by elimination; again and again */
  entries: number[];
  /** number of the part down the rows, along the columns, 1 if made by elimination; again and again */
  blocks: number[];
  row_parts: Part[];
  column_parts: Part[];
}
