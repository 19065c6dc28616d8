// Which quantities come with the frames: several panels want some; the program is told the union of them. And the catalogue of what there is,
// asked for once for each structure of the scene.

import type { App } from "../app";
import type { Quantities, Quantity } from "./answers";
import { quantitiesOf } from "./received";

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

/** Everything that can be watched in the scene as it is now. Large scenes list the first things only; the rest follows the same patterns. */
export class Catalogue {
  private revision = -1;
  private asked: Promise<Quantities> | null = null;

  constructor(private app: App) {}

  private get(): Promise<Quantities> {
    const revision = this.app.picture?.revision ?? -1;
    if (!this.asked || revision !== this.revision) {
      this.revision = revision;
      const asked = this.app.ask<Quantity[]>({ about: "quantities" }).then((list) => quantitiesOf(list, this.app.picture));
      this.asked = asked;
      asked.catch(() => {
        if (this.asked === asked) this.asked = null;
      });
    }
    return this.asked;
  }

  /** Quantities of one thing, by its path. */
  async of(path: string): Promise<Quantity[]> {
    const all = await this.get();
    const group = all.groups.find((g) => g.path === path);
    if (group) return group.quantities;
    const [kind, name] = split(path);
    return all.patterns.filter((p) => p.of === kind).map((p) => ({ name: `${name}.${p.label}`, unit: p.unit }));
  }

  /** So many quantities whose names fit, at most; and how many there are of those that are listed. */
  async find(search: string, most: number): Promise<{ found: Quantity[]; more: boolean }> {
    const all = await this.get();
    const fits = matcher(search);
    const found: Quantity[] = [];
    for (const q of all.groups.flatMap((g) => g.quantities)) {
      if (q.name === "time" || !fits(`${q.name} ${q.unit}`)) continue;
      if (found.length === most) return { found, more: true };
      found.push(q);
    }
    for (const [kind, name] of this.unlisted(all)) {
      for (const p of all.patterns) {
        if (p.of !== kind || !fits(`${name}.${p.label} ${p.unit}`)) continue;
        if (found.length === most) return { found, more: true };
        found.push({ name: `${name}.${p.label}`, unit: p.unit });
      }
    }
    return { found, more: false };
  }

  /** Those of these quantities that there are. */
  async still(names: Quantity[]): Promise<Quantity[]> {
    const all = await this.get();
    const listed = new Map(all.groups.flatMap((g) => g.quantities).map((q) => [q.name, q]));
    const others = all.patterns.length > 0 ? new Set([...this.unlisted(all)].map(([, name]) => name)) : new Set<string>();
    return names.flatMap((q) => listed.get(q.name) ?? (others.has(q.name.slice(0, q.name.indexOf("."))) ? q : []));
  }

  private *unlisted(all: Quantities): Generator<[string, string]> {
    const { picture } = this.app;
    if (!picture || all.patterns.length === 0) return;
    const listed = new Set(all.groups.map((g) => g.path));
    for (const [kind, things] of [["body", picture.bodies], ["joint", picture.joints], ["force", picture.forces]] as const) {
      for (const { name } of things) if (!listed.has(`${kind}.${name}`)) yield [kind, name];
    }
  }
}

function split(path: string): [string, string] {
  const dot = path.indexOf(".");
  return [path.slice(0, dot), path.slice(dot + 1)];
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
