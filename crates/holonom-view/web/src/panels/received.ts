// Answers as the program gives them (`numbers/` of the program), brought into the form that the panels use (`answers.ts`).

import type { Picture } from "../protocol";
import type { Ledger, Part, Quantities, Quantity, Spy } from "./answers";

/** Where energy went: see `numbers/ledger.rs`. */
export interface LedgerAnswer {
  kinetic: number;
  gravity: number;
  elastic: number;
  total: number;
  change: number;
  lines: { label: string; kind: string; path: string | null; work: number }[];
  /** The integrator's own error, J. */
  error: number;
  dissipated: number;
}

/** Where a matrix has entries: see `numbers/spy.rs`. */
export interface SpyAnswer {
  matrix: "J" | "H" | "A" | "L";
  rows: number;
  columns: number;
  row_bands: Band[];
  column_bands: Band[];
  /** First row, first column, rows, columns, 1 if made by elimination. */
  blocks: [number, number, number, number, number][];
  entries: number;
  fill: number;
}

interface Band {
  path: string;
  from: number;
  count: number;
}

/** The integrator's error is a line like the others: with it they add up to the change. */
export function ledgerOf(answer: LedgerAnswer): Ledger {
  const works = answer.lines.map(({ label, ...rest }) => ({ title: label, ...rest }));
  works.push({ title: "Error of the integrator", kind: "integrator", path: null, work: answer.error });
  return { ...answer, works };
}

const ABOUT: Record<SpyAnswer["matrix"], string> = {
  J: "J: one row for each condition of a joint, one column for each velocity of a body",
  H: "H: masses of the bodies and the joints between them, in the order in which they are eliminated",
  A: "A = J M⁻¹ Jᵀ: conditions of joints that share a body",
  L: "L: the factor of H; what elimination added is marked",
};

/** Entries drawn one by one at most; of more, whole blocks. */
const MOST_ENTRIES = 200_000;

export function spyOf(answer: SpyAnswer): Spy {
  const parts = (bands: Band[]): Part[] =>
    bands.map(({ path, from, count }) => {
      const dot = path.indexOf(".");
      return { kind: path.slice(0, dot) as Part["kind"], name: path.slice(dot + 1), start: from, end: from + count };
    });
  const entries: number[] = [];
  const blocks: number[] = [];
  if (answer.entries <= MOST_ENTRIES) {
    for (const [row, column, rows, columns, made] of answer.blocks) {
      for (let r = row; r < row + rows; r++) {
        for (let c = column; c < column + columns; c++) {
          // the factor is a lower triangle, the blocks on its diagonal too
          if (answer.matrix !== "L" || c <= r) entries.push(r, c, made);
        }
      }
    }
  } else {
    const [down, along] = [answer.row_bands, answer.column_bands].map((bands) => new Map(bands.map((b, i) => [b.from, i])));
    for (const [row, column, , , made] of answer.blocks) blocks.push(down!.get(row) ?? 0, along!.get(column) ?? 0, made);
  }
  const { matrix, rows, columns, fill } = answer;
  return { matrix, about: ABOUT[matrix], rows, columns, count: answer.entries, fill, entries, blocks, row_parts: parts(answer.row_bands), column_parts: parts(answer.column_bands) };
}

/** Things of which the program lists everything, however large the scene: see `numbers/quantities.rs`. */
const FULL = 50;
/** Scenes with more things than this are not listed in full. */
const SMALL = 400;

/** A plain list, by what its names speak of. */
export function quantitiesOf(list: Quantity[], picture: Picture | null): Quantities {
  const owners = new Map<string, string>();
  const kinds = [["force", picture?.forces], ["joint", picture?.joints], ["body", picture?.bodies]] as const;
  for (const [kind, things] of kinds) for (const { name } of things ?? []) owners.set(name, `${kind}.${name}`);
  // names may have dots in them: the longest that is somebody's is the owner's
  const ownerOf = (name: string): string | null => {
    for (let at = name.lastIndexOf("."); at > 0; at = name.lastIndexOf(".", at - 1)) {
      const path = owners.get(name.slice(0, at));
      if (path) return path;
    }
    return null;
  };
  const groups = new Map<string, Quantities["groups"][number]>();
  for (const q of list) {
    const path = ownerOf(q.name);
    const key = path ?? "";
    const kind = path?.slice(0, path.indexOf(".")) ?? "whole";
    const group = groups.get(key) ?? { title: path?.slice(kind.length + 1) ?? "The whole mechanism", kind, path, quantities: [] };
    groups.set(key, group);
    group.quantities.push(q);
  }
  if (owners.size <= SMALL) return { groups: [...groups.values()], patterns: [], note: "" };
  // of the many, those beyond the first have what the first have, although not all of it is listed
  const patterns: Quantities["patterns"] = [];
  const kept: Quantities["groups"] = [];
  const seen = { body: 0, joint: 0, force: 0 };
  for (const group of groups.values()) {
    if (group.kind !== "body" && group.kind !== "joint" && group.kind !== "force") {
      kept.push(group);
      continue;
    }
    if (seen[group.kind]++ === 0) {
      for (const { name, unit } of group.quantities) patterns.push({ of: group.kind, label: name.slice(group.title.length + 1), unit });
    }
    if (seen[group.kind] <= FULL) kept.push(group);
  }
  return { groups: kept, patterns, note: "" };
}
