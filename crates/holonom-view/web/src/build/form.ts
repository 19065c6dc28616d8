// The form of what is selected: its name, sizes, mass, limits, motors; what the program says against a change stands beside the field.

import type { App, Selection } from "../app";
import { h } from "../panels/dom";
import { number, unitText } from "../panels/units";
import { edit } from "./edits";
import type { CoordinateMeasure, DetailsAnswer, FieldValue, JsonValue } from "../protocol";
import { drawing } from "./icons";
import { ids } from "./ids";
import { input } from "./inputs";

/** Fields that come first, in this order; the others are under "More". */
const FIRST: Record<string, string[]> = {
  body: ["shape", "shapes", "mass", "density", "colour", "from", "to", "at"],
  joint: ["a", "b", "axis", "limits", "lead", "ratio", "length", "radius", "friction", "effort"],
  drive: ["joint", "value", "effort", "kp", "kd"],
  force: ["a", "b", "stiffness", "length", "damping", "force", "torque"],
};

export function createForm(app: App, host: HTMLElement): void {
  const form = h("div", { class: "build-form", testid: ids.form });
  host.append(form);
  let shownPath = "";
  /** What the coordinates that the form is about measure: those of a joint, or the one that a drive acts on. */
  let measures: CoordinateMeasure[] = [];
  let asked = 0;
  /** The field that was changed last, until the program has answered. */
  let pending: { path: string; at: number } | null = null;
  let message: { path: string; text: string } | null = null;

  /** What the program calls what is selected: drives are listed among joints and forces. */
  function paths(selection: NonNullable<Selection>): string[] {
    const { kind, name } = selection;
    if (kind === "joint") return app.picture?.joints.find((j) => j.name === name)?.drive ? [`drive.${name}`] : [`joint.${name}`];
    if (kind === "force") return [`force.${name}`, `drive.${name}`];
    return [`body.${name}`];
  }

  async function fill(): Promise<void> {
    const { selection } = app;
    const mine = ++asked;
    if (!selection || app.connection !== "open") {
      shownPath = "";
      form.replaceChildren();
      form.hidden = true;
      return;
    }
    let details: DetailsAnswer | null = null;
    for (const path of paths(selection)) {
      details = await app.ask({ about: "details", path }).catch(() => null);
      if (details) break;
    }
    if (mine !== asked) return;
    // not while somebody types in it, unless it is about something else
    const typing = form.contains(document.activeElement) && document.activeElement?.matches("input[type=text]");
    if (typing && details?.path === shownPath) return;
    form.hidden = details === null;
    shownPath = details?.path ?? "";
    form.dataset.path = shownPath;
    form.replaceChildren(...(details ? contents(details) : []));
  }

  function send(path: string, value: JsonValue): void {
    pending = { path, at: performance.now() };
    message = null;
    edit(app, { kind: "set", path, value });
  }
  function complain(path: string, text: string): void {
    message = { path, text };
    for (const node of form.querySelectorAll<HTMLElement>(`[data-testid="${ids.field}"]`)) {
      if (node.dataset.path === path) node.querySelector(".build-message")?.replaceChildren(text);
    }
  }

  function contents(d: DetailsAnswer): Node[] {
    const section = d.section;
    const on = d.fields.find((f) => f.name === "joint")?.value;
    measures = section === "drive" && typeof on === "string" ? driven(on) : measured(d.name);
    const first = FIRST[section] ?? [];
    const rank = (f: FieldValue): number => (first.includes(f.name) ? first.indexOf(f.name) : 99);
    const ends = d.fields.some((f) => f.name === "from" && f.value !== null);
    const useful = (f: FieldValue): boolean => !(ends && (f.name === "at" || f.name === "rotation")) && !(section === "body" && f.value === null && ["from", "to", "shape", "shapes"].includes(f.name));
    const sorted = d.fields.filter(useful);
    const top = sorted.filter((f) => rank(f) < 99).sort((a, b) => rank(a) - rank(b));
    const rest = sorted.filter((f) => rank(f) === 99);
    const name = h("input", { class: "field", type: "text", testid: ids.name, label: "Name", attrs: { spellcheck: "false", autocomplete: "off" } });
    name.value = d.name;
    name.addEventListener("keydown", (e) => {
      if (e.key === "Enter") name.blur();
      e.stopPropagation();
    });
    name.addEventListener("change", () => {
      const to = name.value.trim();
      if (to === "" || to === d.name) return;
      pending = { path: d.path, at: performance.now() };
      edit(app, { kind: "rename", path: d.path, name: to });
      renamed = { from: d.name, to };
    });
    const nodes: Node[] = [
      h("h3", { text: "Change" }),
      line(d.path, "Name", "", "", name),
      ...top.flatMap((f) => entries(f)),
    ];
    if (d.generated) nodes.splice(1, 0, h("p", { class: "muted", text: "A piece of a generator. When it is changed, the generator is written out piece by piece." }));
    const more = rest.flatMap((f) => entries(f));
    if (more.length > 0) nodes.push(h("details", { class: "build-details" }, h("summary", { text: "More" }), ...more));
    const facts = d.facts.filter((f) => !(f.name === "mass" && d.fields.some((x) => x.name === "mass" && x.value !== null)));
    if (facts.length > 0) {
      const list = h("dl", { class: "facts" });
      for (const f of facts) {
        const value = f.value.map((x) => number(x, f.value.length > 1 ? 3 : 4)).join(", ");
        list.append(h("dt", { text: f.name }), h("dd", { text: `${value} ${unitText(f.unit)}` }));
      }
      nodes.push(list);
    }
    nodes.push(actions(d));
    return nodes;
  }

  /** A field as a line; a table inside as its own lines under a heading. */
  function entries(f: FieldValue): Node[] {
    if ((f.type === "kind" || f.type === "record") && f.value !== null) {
      const inner = f.fields.filter((x) => x.required || x.value !== null || ["radius", "size", "length"].includes(x.name)).flatMap((x) => entries(x));
      return inner.length > 0 ? [h("div", { class: "build-group", text: f.kind ? `${f.name}: ${f.kind}` : f.name }), ...inner] : [];
    }
    if (f.type === "kinds") return f.fields.flatMap((x) => [h("div", { class: "build-group", text: `shape ${Number(x.name) + 1}: ${x.kind ?? ""}` }), ...x.fields.filter((y) => y.required || y.value !== null).flatMap((y) => entries(y))]);
    const control = input(f, (value) => send(f.path, value), (text) => complain(f.path, text));
    if (!control) return [];
    const help = [f.help, f.allowed, f.expression !== null && f.expression !== undefined ? "an expression: a number replaces it" : ""].filter(Boolean).join("; ");
    return [line(f.path, f.name.replaceAll("_", " "), fitting(f.unit), help, control)];
  }

  const measured = (joint: string): CoordinateMeasure[] => app.picture?.joints.find((j) => j.name === joint)?.coordinates.map((c) => c.measure) ?? [];
  /** Of `joint` the first coordinate, of `joint.1` the second. */
  const driven = (on: string): CoordinateMeasure[] => {
    const [joint, index] = on.split(".");
    return measured(joint).slice(Number(index ?? 0), Number(index ?? 0) + 1);
  };

  /** Of "m or rad" the one that the coordinates at hand measure in. */
  function fitting(unit: string): string {
    const parts = unit.split(" or ");
    const angular = parts.findIndex((p) => p.startsWith("rad") || p.startsWith("N m"));
    if (parts.length !== 2 || angular < 0 || new Set(measures).size !== 1) return unit;
    return parts[measures[0] === "angle" ? angular : 1 - angular];
  }

  function line(path: string, text: string, unit: string, help: string, control: HTMLElement): HTMLElement {
    const said = h("div", { class: "build-message", testid: ids.message, text: message?.path === path ? message.text : "" });
    return h("div", { class: "build-line", testid: ids.field, attrs: { "data-path": path }, title: help },
      h("span", { class: "build-label", text }), control, h("span", { class: "build-unit muted", text: unitText(unit) }), said);
  }

  // ---- what can be done with it ----

  function actions(d: DetailsAnswer): HTMLElement {
    const act = (name: string, text: string, title: string, testid: string, press: () => void): HTMLButtonElement =>
      h("button", { class: "button small outline", type: "button", title, testid, on: { click: press } }, drawing(name), h("span", { text }));
    const bar = h("div", { class: "build-acts" });
    if (d.section === "joint") {
      // buttons drive the first coordinate
      const measure = measured(d.name)[0];
      for (const drive of measure ? (app.catalogue?.drives ?? []) : []) {
        const preset = drive[measure];
        if (preset) bar.append(act("motor", preset.label, preset.help, ids.motor(drive.kind), () => edit(app, { kind: "add-drive", drive: drive.kind, on: d.name, fields: { value: preset.value } })));
      }
      bar.append(
        act("joint-block", "Weld", "Hold it as it stands", ids.toWeld, () => edit(app, { kind: "weld", joint: d.name })),
        act("cut", "Cut", "Take the joint away; its bodies go on as they move", ids.cut, () => edit(app, { kind: "cut", joint: d.name })),
      );
    }
    if (d.section === "body") {
      const by = 0.15 * (app.picture?.size ?? 1);
      bar.append(act("duplicate", "Duplicate", "A second one beside it, without its joints", ids.duplicate, () => edit(app, { kind: "duplicate", body: d.name, by: [Number(by.toPrecision(1)), 0, 0] })));
    }
    if (d.section !== "joint") bar.append(act("delete", "Delete", d.section === "body" ? "Take it away, with its joints (Delete)" : "Take it away (Delete)", ids.remove, () => edit(app, { kind: "remove", path: d.path })));
    return bar;
  }

  let renamed: { from: string; to: string } | null = null;
  app.on("selection", () => {
    message = null;
    void fill();
  });
  app.on("picture", (p) => {
    if (pending) message = null;
    pending = null;
    const s = app.selection;
    if (s && renamed && s.name === renamed.from) {
      const to = renamed.to;
      renamed = null;
      app.select({ ...s, name: to });
      return;
    }
    const there = !s || (s.kind === "body" ? p.bodies : s.kind === "joint" ? p.joints : p.forces).some((x) => x.name === s.name);
    if (!there) app.select(null);
    else void fill();
  });
  app.on("error", ({ message: text }) => {
    renamed = null;
    if (!pending || performance.now() - pending.at > 5000) return;
    complain(pending.path, text);
    pending = null;
  });
  app.on("connection", () => void fill());
  form.hidden = true;
}
