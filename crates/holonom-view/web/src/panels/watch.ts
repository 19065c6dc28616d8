// Which quantities come with the frames. Several panels want some; the program is told the union of them. Also the catalogue of what there is,
// asked once for each structure of the scene.

import type { App } from "../app";
import type { Quantity } from "./answers";

/** Most quantities that a page may watch. */
export const MOST_WATCHED = 64;

export class Watcher {
  private wants = new Map<string, string[]>();
  private told = "[]";

  constructor(private app: App) {}

  /** What a panel wants to see; in place of what it wanted before. The first to ask are served first. */
  want(owner: string, names: string[]): void {
    this.wants.set(owner, names);
    const all = [...new Set([...this.wants.values()].flat())].slice(0, MOST_WATCHED);
    const text = JSON.stringify(all);
    if (text === this.told) return;
    this.told = text;
    this.app.send({ do: "watch", names: all });
  }
}

export class Catalogue {
  private revision = -1;
  private asked: Promise<Quantity[]> | null = null;

  constructor(private app: App) {}

  /** Everything that can be watched in the scene as it is now. */
  all(): Promise<Quantity[]> {
    const revision = this.app.picture?.revision ?? -1;
    if (!this.asked || revision !== this.revision) {
      this.revision = revision;
      const asked = this.app.ask<Quantity[]>({ about: "quantities" });
      this.asked = asked;
      asked.catch(() => {
        if (this.asked === asked) this.asked = null;
      });
    }
    return this.asked;
  }
}

/** Quantities that are components of one thing: `crank.pos` with x, y, z. */
export interface Family {
  stem: string;
  unit: string;
  note: string;
  members: { name: string; part: string; note: string }[];
}

/** Components brought together, in the order of the list. */
export function families(list: Quantity[]): Family[] {
  const found = new Map<string, Family>();
  for (const q of list) {
    const part = /\.([wxyz])$/.exec(q.name)?.[1] ?? "";
    const stem = part ? q.name.slice(0, -2) : q.name;
    const family = found.get(stem) ?? { stem, unit: q.unit, note: "", members: [] };
    found.set(stem, family);
    family.note ||= q.note ?? "";
    family.members.push({ name: q.name, part, note: q.note ?? "" });
  }
  return [...found.values()];
}

/** Do all words of the search stand in the name? `*` stands for anything. */
export function matcher(search: string): (name: string) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).map((w) => w.split("*").filter(Boolean));
  return (name) => {
    const text = name.toLowerCase();
    return words.every((pieces) => {
      let from = 0;
      return pieces.every((piece) => {
        const at = text.indexOf(piece, from);
        from = at + piece.length;
        return at >= 0;
      });
    });
  };
}
