// Inputs for values of fields, by their types. People may write units that are not SI: 30 deg, 25 mm, 5 g.

import { h } from "../panels/dom";
import { unitText } from "../panels/units";
import type { FieldValue, JsonValue } from "../protocol";
import { ids } from "./ids";

const UNITS: Record<string, number> = {
  deg: Math.PI / 180, "°": Math.PI / 180, rad: 1, mm: 1e-3, cm: 1e-2, m: 1, km: 1e3, g: 1e-3, kg: 1, t: 1e3, rpm: Math.PI / 30, s: 1, ms: 1e-3, N: 1, kN: 1e3,
  "g/cm3": 1e3, "kg/m3": 1, "kg/m^3": 1, "rad/s": 1, "m/s": 1, "N m": 1, Nm: 1, inf: Infinity, "-inf": -Infinity,
};

/** Arithmetic, perhaps with names of parameters and functions: what may stand in ${}. The program says what it cannot compute. */
const EXPRESSION = /^[\w\s.,+*/^()-]*[a-z(*/^+-][\w\s.,+*/^()-]*$/i;

/** What somebody wrote, as a value of a scene: a number with or without a unit, or an expression, with or without ${}. Null where it is none of these. */
export function parse(text: string): number | string | null {
  const t = text.trim().replaceAll("−", "-").replace(",", ".");
  if (t.startsWith("${") && t.endsWith("}")) return t;
  const found = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(.*)$/i.exec(t);
  const expression = EXPRESSION.test(text.trim()) ? `\${${text.trim()}}` : null;
  if (!found) return expression;
  const unit = found[2].trim();
  const factor = unit === "" ? 1 : UNITS[unit.replaceAll("³", "3").replaceAll("·", " ")];
  // "3 furlongs" is no expression, "3*width" is
  if (factor === undefined) return /^[*/+^-]/.test(unit) ? expression : null;
  return Number((Number(found[1]) * factor).toPrecision(15));
}

const show = (x: JsonValue): string => (typeof x === "number" ? String(Number(x.toPrecision(7))) : x === null ? "" : typeof x === "string" ? x : JSON.stringify(x));

/** Called with the new value; null clears the field. */
type Change = (value: JsonValue) => void;

/** An input for a field; null for types that are not edited here. */
export function input(field: FieldValue, change: Change, complain: (message: string) => void): HTMLElement | null {
  const written = field.expression ?? field.value;
  const box = (value: JsonValue, label: string): HTMLInputElement => {
    const node = h("input", { class: "field", type: "text", testid: ids.input, label, attrs: { spellcheck: "false", autocomplete: "off", placeholder: field.otherwise && field.otherwise.length < 22 ? field.otherwise : "" } });
    node.value = show(value);
    node.addEventListener("keydown", (e) => {
      if (e.key === "Enter") node.blur();
      if (e.key === "Escape") {
        node.value = show(value);
        node.blur();
      }
      e.stopPropagation();
    });
    return node;
  };
  const numeric = (text: string): number | string | null => {
    const x = parse(text);
    if (x === null) complain(`“${text}” is no number; write it in ${unitText(field.unit) || "plain digits"}${field.allowed ? `, ${field.allowed}` : ""}`);
    return x;
  };
  switch (field.type) {
    case "number":
    case "integer": {
      const node = box(written, field.name);
      node.addEventListener("change", () => {
        if (node.value.trim() === "") return field.required ? complain("it must be said") : change(null);
        const x = numeric(node.value);
        if (x !== null) change(x);
      });
      return node;
    }
    case "text":
    case "function": {
      const node = box(written, field.name);
      node.addEventListener("change", () => {
        if (node.value.trim() === "") return field.required ? complain("it must be said") : change(null);
        // a function of time is an expression as it stands
        const x = field.type === "function" ? parse(node.value) : null;
        change(typeof x === "number" ? x : node.value.trim());
      });
      // a function that is a table is changed in the file
      return typeof written === "object" && written !== null ? h("code", { class: "build-code", text: JSON.stringify(written), title: "Changed in the scene file" }) : node;
    }
    case "flag": {
      const node = h("input", { type: "checkbox", class: "switch", testid: ids.input, label: field.name });
      node.checked = field.value === true;
      node.addEventListener("change", () => change(node.checked ? true : field.required ? false : null));
      return node;
    }
    case "choice": {
      const node = h("select", { class: "select small", testid: ids.input, label: field.name }, h("option", { text: field.otherwise ? `as usual (${field.otherwise})` : "", attrs: { value: "" } }),
        ...(field.choices ?? []).map((c) => h("option", { text: c, attrs: { value: c } })));
      node.value = typeof field.value === "string" ? field.value : "";
      node.addEventListener("change", () => change(node.value === "" ? null : node.value));
      return node;
    }
    case "numbers":
      if (field.name === "colour") return colour(field, change);
      return several(field, Array.isArray(written) ? (written as JsonValue[]) : written === null ? [] : [written], box, numeric, change);
    case "vector":
    case "direction": {
      const values = Array.isArray(written) ? (written as JsonValue[]) : [null, null, null];
      const boxes = ["x", "y", "z"].map((axis, i) => box(values[i] ?? null, `${field.name} ${axis}`));
      for (const node of boxes) {
        node.addEventListener("change", () => {
          if (boxes.every((b) => b.value.trim() === "")) return field.required ? complain("it must be said") : change(null);
          if (boxes.some((b) => b.value.trim() === "")) return;
          const xs = boxes.map((b) => numeric(b.value));
          if (xs.every((x) => x !== null)) change(xs as JsonValue[]);
        });
      }
      return h("div", { class: "build-three" }, ...boxes);
    }
    case "intervals": {
      const list = Array.isArray(written) ? (written as JsonValue[]) : [];
      const pair = Array.isArray(list[0]) ? (list[0] as JsonValue[]) : list;
      const boxes = ["lower", "upper"].map((which, i) => box(pair[i] ?? null, `${field.name} ${which}`));
      boxes[0].placeholder = "lower";
      boxes[1].placeholder = "upper";
      for (const node of boxes) {
        node.addEventListener("change", () => {
          if (boxes.every((b) => b.value.trim() === "")) return change(null);
          // what is left open is no bound
          const xs = boxes.map((b, i) => (b.value.trim() === "" ? (i === 0 ? -1e9 : 1e9) : numeric(b.value)));
          if (xs.every((x) => x !== null)) change(xs as JsonValue[]);
        });
      }
      if (list.length > 1 && Array.isArray(list[0])) return h("code", { class: "build-code", text: JSON.stringify(written), title: "Several coordinates: changed in the scene file" });
      return h("div", { class: "build-three" }, ...boxes);
    }
    case "point":
    case "coordinate":
      return h("code", { class: "build-code", text: typeof written === "string" ? written : written === null ? "–" : JSON.stringify(written) });
    default:
      return null;
  }
}

function several(field: FieldValue, values: JsonValue[], box: (v: JsonValue, label: string) => HTMLInputElement, numeric: (t: string) => number | string | null, change: Change): HTMLElement {
  const node = box(values.map(show).join("; "), field.name);
  node.addEventListener("change", () => {
    if (node.value.trim() === "") return change(null);
    const xs = node.value.split(";").map((t) => numeric(t));
    if (xs.every((x) => x !== null)) change(xs.length === 1 ? xs[0] : (xs as JsonValue[]));
  });
  return node;
}

function colour(field: FieldValue, change: Change): HTMLElement {
  const node = h("input", { type: "color", class: "build-colour", testid: ids.input, label: field.name });
  const hex = (x: JsonValue): string => Math.round(255 * Math.min(1, Math.max(0, Number(x)))).toString(16).padStart(2, "0");
  if (Array.isArray(field.value)) node.value = `#${(field.value as JsonValue[]).map(hex).join("")}`;
  else node.value = "#8899aa";
  node.addEventListener("change", () => change([1, 3, 5].map((i) => Number((parseInt(node.value.slice(i, i + 2), 16) / 255).toFixed(3)))));
  return node;
}
