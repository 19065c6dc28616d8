// The parameters of a scene, `[params]`, and what its drives are told, `[drive.NAME] value` and `effort`, each with a slider: let go of it, and the scene is made anew with that number. What stands behind a
// number in the file, mostly its unit and meaning, stands here too.

import type { App } from "../app";
import { h, setText } from "./dom";
import { fillSlider } from "./timebar";
import { short } from "./units";

export interface Parameter {
  name: string;
  /** `params.r`, `drive.motor.value`. */
  path: string;
  value: number;
  note: string;
}

/** The numbers that a scene's text says of itself and of its drives; what is made from others is not among them. */
export function parametersOf(text: string): Parameter[] {
  const found: Parameter[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    if (/^\s*\[/.test(line)) section = /^\s*\[(params|drive\.[\w-]+)\]/.exec(line)?.[1] ?? "";
    const parts = section ? /^\s*"?([\w-]+)"?\s*=\s*([-+]?[\d._]+(?:e[-+]?\d+)?)\s*(?:#\s*(.*))?$/i.exec(line) : null;
    const value = parts ? Number(parts[2]!.replaceAll("_", "")) : NaN;
    if (!parts || !Number.isFinite(value)) continue;
    const [key, note] = [parts[1]!, parts[3] ?? ""];
    if (section === "params") found.push({ name: key, path: `params.${key}`, value, note });
    else if (key === "value" || key === "effort") found.push({ name: `${section.slice(6)}${key === "effort" ? ", most" : ""}`, path: `${section}.${key}`, value, note });
  }
  return found;
}

/** From a quarter to twice of what it is; whole numbers stay whole. */
function range({ value }: Parameter): { min: number; max: number; step: number } {
  if (value === 0) return { min: -1, max: 1, step: 0.01 };
  const whole = Number.isInteger(value) && Math.abs(value) >= 2 && Math.abs(value) <= 200;
  const [a, b] = [value / 4, value * 2];
  return { min: Math.min(a, b), max: Math.max(a, b), step: whole ? 1 : Math.abs(value) / 100 };
}

/** A list of them, empty where there are none; filled when the scene has been asked. */
export function parameterList(app: App): HTMLElement {
  const list = h("section", { class: "params", label: "Parameters", testid: "params" });
  list.hidden = true;
  const revision = app.picture?.revision;
  void app.ask({ about: "scene" }).then(({ text }) => {
    const found = parametersOf(text);
    if (found.length === 0 || app.picture?.revision !== revision) return;
    for (const [title, of] of [["Parameters", "params."], ["Motors", "drive."]] as const) {
      const rows = found.filter((p) => p.path.startsWith(of)).map((p) => row(app, p));
      if (rows.length > 0) list.append(h("h3", { text: title }), ...rows);
    }
    list.hidden = false;
  }, () => {});
  return list;
}

function row(app: App, p: Parameter): HTMLElement {
  const { min, max, step } = range(p);
  const slider = h("input", { class: "slider", type: "range", testid: "param", label: `${p.name}: ${p.note || "parameter"}`, attrs: { min: String(min), max: String(max), step: "any", "data-path": p.path } });
  slider.value = String(p.value);
  const shown = h("output", { class: "num", text: short(p.value) });
  const round = () => Number((Math.round(Number(slider.value) / step) * step).toPrecision(6));
  fillSlider(slider);
  slider.addEventListener("input", () => {
    setText(shown, short(round()));
    fillSlider(slider);
  });
  slider.addEventListener("change", () => {
    const value = round();
    if (value !== p.value) app.send({ do: "edit", edit: { kind: "set", path: p.path, value } });
  });
  return h("label", { class: "param", title: p.note || p.name }, h("span", { class: "param-name" }, h("span", { text: p.name }), p.note ? h("span", { class: "muted", text: p.note }) : null), slider, shown);
}
