// Which quantities come with the frames: several panels want some; the program is told the union of them. And the catalogue of what there is,
// asked for once for each structure of the scene.

import type { App } from "../app";
import type { QuantityAnswer } from "../protocol";

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

/** Models of more bodies, joints and forces are listed in part: all of the first ones, and of the others where they are. */
const SMALL = 400;

type Kind = "body" | "joint" | "force";

/** Everything that can be watched in the scene as it is now. What large models do not list has names of the same pattern, which are made up here. */
export class Catalogue {
  private revision = -1;
  private asked: Promise<QuantityAnswer[]> | null = null;

  constructor(private app: App) {}

  private get(): Promise<QuantityAnswer[]> {
    const revision = this.app.picture?.revision ?? -1;
    if (!this.asked || revision !== this.revision) {
      this.revision = revision;
      const asked = this.app.ask({ about: "quantities" });
      this.asked = asked;
      asked.catch(() => {
        if (this.asked === asked) this.asked = null;
      });
    }
    return this.asked;
  }

  /** Quantities of one thing. */
  async of(kind: Kind, name: string): Promise<QuantityAnswer[]> {
    const listed = (await this.get()).filter((q) => q.name.startsWith(`${name}.`));
    const like = this.large() ? this.first(kind, name) : null;
    if (like === null || like === name) return listed;
    const pattern = (await this.get()).filter((q) => q.name.startsWith(`${like}.`));
    const known = new Set(listed.map((q) => q.name));
    return [...listed, ...pattern.map((q) => ({ ...q, name: name + q.name.slice(like.length), note: "" })).filter((q) => !known.has(q.name))];
  }

  /** So many quantities whose names fit, at most; and whether there are more. */
  async find(search: string, most: number): Promise<{ found: QuantityAnswer[]; more: boolean }> {
    const fits = matcher(search);
    const found = (await this.get()).filter((q) => q.name !== "time" && fits(`${q.name} ${q.unit}`));
    return { found: found.slice(0, most), more: found.length > most };
  }

  /** Those of these quantities that there are. */
  async still(chosen: QuantityAnswer[]): Promise<QuantityAnswer[]> {
    const listed = new Map((await this.get()).map((q) => [q.name, q]));
    const owners = this.large() ? new Set(this.things().map(([, name]) => name)) : new Set<string>();
    return chosen.flatMap((q) => listed.get(q.name) ?? (owners.has(q.name.slice(0, q.name.indexOf("."))) ? q : []));
  }

  private large(): boolean {
    return this.things().length > SMALL;
  }

  private things(): [Kind, string, string][] {
    const p = this.app.picture;
    if (!p) return [];
    const of = (kind: Kind, list: { name: string; kind: string }[]) => list.map((t): [Kind, string, string] => [kind, t.name, t.kind]);
    return [...of("body", p.bodies), ...of("joint", p.joints), ...of("force", p.forces)];
  }

  /** The first thing of the same kind: of it, everything is listed. */
  private first(kind: Kind, name: string): string | null {
    const same = this.things().filter(([k]) => k === kind);
    const what = same.find(([, n]) => n === name)?.[2];
    return same.find(([, , w]) => w === what)?.[1] ?? null;
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
export function families(list: QuantityAnswer[]): Family[] {
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
