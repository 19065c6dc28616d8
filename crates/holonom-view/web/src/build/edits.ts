// Changes of a scene, and what the program says of what can be changed: the same as `edit/` of the program, in TypeScript. SI units, quaternions x y z w.

import type { App } from "../app";
import type { Quat, Triple } from "../protocol";

/** A value of a scene file. */
export type Value = number | string | boolean | null | Value[] | { [key: string]: Value };
export type Fields = Record<string, Value>;

export interface Spot {
  /** Name of the body, or `ground`. */
  body: string;
  /** In the body's frame. */
  point: Triple;
}

export interface Tie {
  joint: string;
  point: Triple;
  to: Spot;
  axis?: Triple;
}

export type BuildEdit =
  | { kind: "add-body"; name?: string; body: Fields; joints?: Tie[] }
  | { kind: "add-ground-point"; name?: string; at: Triple }
  | { kind: "add-joint"; name?: string; joint: string; a: Spot; b: Spot; axis?: Triple; fields?: Fields }
  | { kind: "add-drive"; name?: string; drive: string; on: string; fields?: Fields }
  | { kind: "add-force"; name?: string; force: string; a?: Spot; b?: Spot; fields?: Fields }
  | { kind: "set"; path: string; value: Value }
  | { kind: "rename"; path: string; name: string }
  | { kind: "remove"; path: string }
  | { kind: "cut"; joint: string }
  | { kind: "weld"; joint: string }
  | { kind: "move-body"; body: string; at: Triple; turn?: Quat }
  | { kind: "duplicate"; body: string; by: Triple };

export type FieldType =
  | "number" | "integer" | "flag" | "text" | "texts" | "choice" | "vector" | "direction" | "rotation" | "numbers" | "vectors" | "intervals" | "point" | "points"
  | "pairs" | "coordinate" | "coordinates" | "function" | "vector-function" | "file" | "kind" | "kinds" | "record" | "records" | "map";

/** What a field is declared to be. */
export interface Declared {
  name: string;
  type: FieldType;
  unit: string;
  help: string;
  required: boolean;
  /** What holds where nothing is said. */
  otherwise?: string;
  /** In words: "greater than 0". */
  allowed?: string;
  least?: number | null;
  most?: number | null;
  choices?: string[];
  /** Of a function. */
  variable?: string;
}

/** A field of a thing and its value. */
export interface Field extends Declared {
  path: string;
  value: Value;
  /** As it is written, where that is an expression. */
  expression: Value;
  kind?: string | null;
  fields: Field[];
}

export interface Details {
  path: string;
  section: string;
  name: string;
  kind: string | null;
  summary: string | null;
  /** Made by a generator, which will be written out when this is changed. */
  generated: boolean;
  facts: { name: string; value: number | number[]; unit: string }[];
  fields: Field[];
}

export interface KindOffer {
  kind: string;
  summary: string;
  fields: Declared[];
}

export interface Offers {
  shapes: (KindOffer & { between: boolean; sizes: Record<string, number | number[]> | null })[];
  bodies: KindOffer[];
  joints: (KindOffer & { sides: boolean; axis: boolean; closes: boolean; asks: boolean })[];
  drives: KindOffer[];
  forces: (KindOffer & { sides: boolean; axis: boolean })[];
}

/** Has this page added something that it has not seen yet? */
export const waiting = { forNew: false };

export function edit(app: App, change: BuildEdit): boolean {
  waiting.forNew = change.kind.startsWith("add-") || change.kind === "duplicate";
  return app.send({ do: "edit", edit: change });
}

/** Coordinates come as single-precision numbers: to the micrometre. */
export function round(t: Triple): Triple {
  return t.map((x) => Math.round(x * 1e6) / 1e6 + 0) as Triple;
}
