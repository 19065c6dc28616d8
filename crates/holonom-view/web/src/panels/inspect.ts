// The tab of what is selected: what it is, and its numbers as they are now. Without a selection, the list of everything in the scene.

import type { App, Selection } from "../app";
import type { Frame } from "../frame";
import type { Picture, QuantityAnswer } from "../protocol";
import { button, h, icon, setText } from "./dom";
import type { Layout } from "./layout";
import { number, unitText, withPrefix } from "./units";
import { parameterList } from "./params";
import { families, matcher, type Catalogue, type Family, type Watcher } from "./watch";
import type { Plots } from "./plots";
import { describe, describeAs, stemTitle } from "./words";

/** Quantities watched here at most. */
const MOST = 24;
const MOST_LINES = 300;
/** Shortest time between two refreshes of the numbers, ms: faster cannot be read. */
const PAUSE = 100;
/** A component so much smaller than the largest one is rounding. */
const ROUNDING = 1e-12;

export class Inspect {
  private head = h("div", { class: "inspect-head" });
  private numbers = h("div", { class: "inspect-numbers", testid: "inspect-numbers" });
  /** Cells of the components of one thing, by name. */
  private cells: Map<string, HTMLElement>[] = [];
  private drawn = 0;
  private search = "";

  constructor(private app: App, private layout: Layout, private watcher: Watcher, private catalogue: Catalogue, private plots: Plots) {
    layout.tabs.inspect.append(this.head, this.numbers, layout.inspectEdit);
    // what is picked in the view is looked at here; other tabs stay where they are
    app.on("selection", () => void this.fill());
    app.on("picture", () => void this.fill());
    app.on("frame", (frame) => this.see(frame));
    layout.onTab((tab) => {
      // the form of what is selected goes where it is needed: beside the numbers, or under the palette while building
      const place = tab === "build" ? layout.tabs.build : layout.tabs.inspect;
      if (tab !== null && layout.inspectEdit.parentElement !== place) place.append(layout.inspectEdit);
      void this.fill();
    });
  }

  private async fill(): Promise<void> {
    const { picture, selection } = this.app;
    this.cells = [];
    if (!picture || this.layout.current() !== "inspect") {
      this.watcher.want("inspect", []);
      return;
    }
    if (!selection) {
      this.watcher.want("inspect", []);
      this.numbers.replaceChildren();
      this.head.replaceChildren(...this.contents(picture));
      return;
    }
    this.head.replaceChildren(...this.about(picture, selection));
    const own = await this.catalogue.of(selection.kind, selection.name).catch(() => [] as QuantityAnswer[]);
    if (this.app.selection !== selection || this.layout.current() !== "inspect") return;
    this.table(selection, families(own));
  }

  // ---- everything in the scene ----

  private contents(picture: Picture): Node[] {
    const list = h("div", { class: "contents" });
    const fill = () => {
      const fits = matcher(this.search);
      const groups: [string, { kind: "body" | "joint" | "force"; name: string; note: string }[]][] = [
        ["Bodies", picture.bodies.map((b) => ({ kind: "body", name: b.name, note: `${describe(b.kind)}, ${withPrefix(b.mass * 1000, "g")}` }))],
        ["Joints and drives", picture.joints.map((j) => ({ kind: "joint", name: j.name, note: describe(j.kind) }))],
        ["Forces", picture.forces.map((f) => ({ kind: "force", name: f.name, note: describe(f.kind) }))],
      ];
      list.replaceChildren(...groups.flatMap(([title, things]) => {
        const found = things.filter((t) => fits(`${t.name} ${t.note}`));
        if (found.length === 0) return [];
        return [h("h3", { text: `${title} (${found.length})` }), h("div", { class: "things" }, ...found.slice(0, MOST_LINES).map((t) => this.thing(t.kind, t.name, t.note))),
          ...(found.length > MOST_LINES ? [h("p", { class: "muted", text: `and ${found.length - MOST_LINES} more: search for them` })] : [])];
      }));
    };
    const field = h("input", { class: "field", type: "search", testid: "contents-search", label: "Search bodies, joints and forces", attrs: { placeholder: "Search bodies, joints, forces …", spellcheck: "false" } });
    field.value = this.search;
    field.addEventListener("input", () => {
      this.search = field.value;
      fill();
    });
    fill();
    const about = picture.description ? [h("p", { class: "description", text: picture.description })] : [];
    return [...about, parameterList(this.app), h("p", { class: "lead", text: "Select a body, joint or force in the view, or here." }), h("div", { class: "search" }, icon("search"), field), list];
  }

  private thing(kind: "body" | "joint" | "force", name: string, note: string): HTMLElement {
    return h("button", { class: "thing", type: "button", testid: "thing", attrs: { "data-path": `${kind}.${name}` },
      on: { click: () => this.app.select({ kind, name }), pointerenter: () => this.app.pointOut([`${kind}.${name}`]), pointerleave: () => this.app.pointOut([]) } },
      h("span", { class: "thing-name", text: name }), h("span", { class: "muted", text: note }));
  }

  // ---- what is selected ----

  private about(picture: Picture, selection: NonNullable<Selection>): Node[] {
    const { kind, name } = selection;
    const lines: [string, Node | string][] = [];
    const marks: Node[] = [];
    const bodyLink = (number: number): Node => number < 0 ? h("span", { text: "ground" }) : this.jump("body", picture.bodies[number]?.name ?? "?");
    let what = "";
    if (kind === "body") {
      const body = picture.bodies.find((b) => b.name === name);
      const at = picture.bodies.findIndex((b) => b.name === name);
      what = body ? describeAs(body.kind, "body") : "body";
      if (body) lines.push(["Mass", withPrefix(body.mass * 1000, "g", 4)]);
      const joints = picture.joints.filter((j) => j.a === at || j.b === at);
      if (joints.length > 0) lines.push(["Joints", h("span", { class: "links" }, ...joints.slice(0, 24).map((j) => this.jump("joint", j.name)))]);
    } else if (kind === "joint") {
      const joint = picture.joints.find((j) => j.name === name);
      what = joint ? (joint.drive ? `${describe(joint.kind)}, drive` : describeAs(joint.kind, "joint")) : "joint";
      if (joint) {
        lines.push(["From", bodyLink(joint.a)], ["To", bodyLink(joint.b)], ["Rows", String(joint.rows)]);
        marks.push(h("span", { class: `mark role-${joint.role}`, text: { primary: "in the tree", loop: "closes a loop", redundant: "redundant", inequality: "one-sided" }[joint.role] }));
        if (!joint.unique) marks.push(h("span", { class: "mark warn", text: "reaction not unique", title: "Several joints share this load. The values given are those of the smallest loads." }));
        if (joint.condition !== "active") marks.push(h("span", { class: "mark bad", text: joint.condition }));
        if (joint.drive) lines.push(["Drive", this.driveSwitch(name, joint.condition === "active")]);
      }
    } else {
      const force = picture.forces.find((f) => f.name === name);
      what = force ? describeAs(force.kind, "force") : "force";
      if (force) lines.push(["Acts on", h("span", { class: "links" }, ...force.on.slice(0, 12).map(([body]) => bodyLink(body)))]);
    }
    const facts = h("dl", { class: "facts" });
    for (const [label, value] of lines) facts.append(h("dt", { text: label }), h("dd", {}, value));
    return [
      h("div", { class: "selected" }, h("div", {}, h("div", { class: "selected-name", text: name, testid: "selected-name" }), h("div", { class: "muted", text: what })),
        button({ label: "Select nothing", icon: "close", class: "button icon-button", testid: "unselect", press: () => this.app.select(null) })),
      h("div", { class: "marks" }, ...marks), facts,
    ];
  }

  private jump(kind: "body" | "joint", name: string): HTMLElement {
    return h("button", { class: "jump", type: "button", text: name, title: `Select ${name}`,
      on: { click: () => this.app.select({ kind, name }), pointerenter: () => this.app.pointOut([`${kind}.${name}`]), pointerleave: () => this.app.pointOut([]) } });
  }

  private driveSwitch(joint: string, on: boolean): HTMLElement {
    const box = h("input", { type: "checkbox", class: "switch", testid: "drive", label: `Drive ${joint}` });
    box.checked = on;
    const text = h("span", { text: on ? "on" : "off" });
    box.addEventListener("change", () => {
      setText(text, box.checked ? "on" : "off");
      this.app.send({ do: "drive", joint, on: box.checked });
    });
    return h("label", { class: "switch-line" }, box, text);
  }

  // ---- numbers ----

  private table(selection: NonNullable<Selection>, all: Family[]): void {
    const usual = all.filter((f) => stemTitle(selection, f.stem) !== null);
    let room = MOST;
    const watched: Family[] = [];
    for (const family of usual) {
      if (family.members.length > room) continue;
      room -= family.members.length;
      watched.push(family);
    }
    this.watcher.want("inspect", watched.flatMap((f) => f.members.map((m) => m.name)));
    this.numbers.replaceChildren(...watched.map((f) => this.block(selection, f)));
    const rest = all.filter((f) => !watched.includes(f));
    if (rest.length > 0) {
      this.numbers.append(h("details", { class: "more" }, h("summary", { text: `${rest.length} more to plot` }),
        h("div", { class: "links" }, ...rest.slice(0, 60).map((f) => h("button", { class: "jump", type: "button", text: f.stem.slice(selection.name.length + 1), title: `Plot ${f.stem}`, on: { click: () => this.plot(f) } })))));
    }
    this.drawn = 0;
    if (this.app.frame) this.see(this.app.frame);
  }

  private block(selection: NonNullable<Selection>, family: Family): HTMLElement {
    const cells = new Map<string, HTMLElement>();
    this.cells.push(cells);
    const values = family.members.map((member) => {
      const value = h("span", { class: "value num", testid: "value", attrs: { "data-name": member.name }, text: "–" });
      cells.set(member.name, value);
      const unsure = member.note.startsWith("not unique");
      return h("span", { class: unsure ? "component unsure" : "component", title: unsure ? `${member.name}: ${member.note}` : member.name },
        member.part ? h("span", { class: "part", text: member.part }) : null, value);
    });
    const unsure = family.members.some((m) => m.note.startsWith("not unique"));
    return h("div", { class: "block" },
      h("div", { class: "block-head" }, h("span", { class: "block-title", text: stemTitle(selection, family.stem) ?? family.stem }),
        unsure && h("span", { class: "mark warn", text: "not unique", title: family.note }), h("span", { class: "spacer" }),
        family.members.length === 1 ? values[0] : null, h("span", { class: "muted block-unit", text: unitText(family.unit) }),
        button({ label: `Plot ${family.stem}`, icon: "chart", class: "button icon-button small", testid: "plot-this", press: () => this.plot(family) })),
      family.members.length > 1 ? h("div", { class: `components of-${family.members.length}` }, ...values) : null);
  }

  private plot(family: Family): void {
    this.plots.add(family.members.map((m) => ({ name: m.name, unit: family.unit, note: m.note })));
    this.plots.show();
  }

  private see(frame: Frame): void {
    const now = performance.now();
    if (this.cells.length === 0 || (frame.playing && now - this.drawn < PAUSE)) return;
    this.drawn = now;
    for (const cells of this.cells) {
      const largest = Math.max(0, ...[...cells.keys()].map((name) => Math.abs(frame.values[name] ?? 0)));
      for (const [name, cell] of cells) {
        const value = frame.values[name];
        // what is left of rounding beside the other components flickers and says nothing
        const tiny = typeof value === "number" && value !== 0 && Math.abs(value) < ROUNDING * largest;
        setText(cell, tiny ? "≈ 0" : number(value));
        cell.dataset.value = String(value ?? NaN);
      }
    }
  }
}
