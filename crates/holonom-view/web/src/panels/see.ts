// What is drawn in the view: switches, the length of arrows, and what the colours mean.

import type { App, Shown } from "../app";
import { button, h, setText } from "./dom";
import { popover } from "./popover";
import { recall, remember } from "./store";
import { fillSlider } from "./timebar";

type Line = [keyof Shown, string, string, string?];

const GROUPS: [string, Line[]][] = [
  ["Arrows", [
    ["reactions", "Reaction forces", "What each joint does to its second body", "--view-reaction"],
    ["torques", "Reaction torques", "Double arrows about their axes", "--view-torque"],
    ["applied", "Applied forces", "Springs, dampers, motors and others", "--view-applied"],
    ["contacts", "Contact forces", "Where bodies touch", "--view-contact"],
    ["velocities", "Velocities", "Of centres of mass", "--view-velocity"],
    ["accelerations", "Accelerations", "Of centres of mass", "--view-acceleration"],
  ]],
  ["Marks", [
    ["figures", "Numbers at arrows", "How large a force or velocity is"],
    ["joints", "Signs of joints", "Of all of them; otherwise of those that are pointed at"],
    ["labels", "Names", "Of bodies and joints"],
    ["centre", "Centre of mass", "Of everything together"],
    ["trails", "Trails", "Where points have been"],
    ["structure", "Structure by colour", "Tree, loops and redundant joints"],
  ]],
  ["Sight", [
    ["transparent", "Transparent bodies", "To see what lies behind and inside"],
    ["parallel", "Without perspective", "What is parallel stays parallel: to measure and compare (5)"],
  ]],
  ["Surroundings", [
    ["grid", "Grid", "On the ground"],
    ["shadows", "Shadows", "Slower on weak graphics"],
  ]],
];

const LEGEND: [string, string, string][] = [
  ["--view-primary", "in the tree", "Eliminated first, without any cost for loops"],
  ["--view-loop", "closes a loop", "Lies on a loop of joints"],
  ["--view-redundant", "redundant", "Holds something that other joints hold already"],
  ["--view-inequality", "one-sided", "Limits, ropes, friction: acts on one side or up to a bound"],
];

/** Where one may look from: what the sheet needs of the view. */
export interface Cameras {
  fit(): void;
  look(from: "front" | "right" | "top" | "home"): void;
  lookThrough(name: string): void;
}

function cameras(app: App, view: () => Cameras): HTMLElement {
  const row = h("div", { class: "see-cameras" });
  const add = (text: string, title: string, testid: string, press: () => void) => row.append(button({ label: title, text, class: "button small outline", testid, press }));
  add("Fit", "Fit everything in (f)", "look-fit", () => view().fit());
  add("Front", "From the front (1)", "look-front", () => view().look("front"));
  add("Right", "From the right (3)", "look-right", () => view().look("right"));
  add("Top", "From the top (7)", "look-top", () => view().look("top"));
  add("Home", "As at the start (0)", "look-home", () => view().look("home"));
  for (const { name } of app.picture?.cameras ?? []) add(name, `The scene's camera ${name}`, "look-through", () => view().lookThrough(name));
  return row;
}

export function createSee(app: App, trigger: HTMLButtonElement, view: () => Cameras): void {
  for (const name of (recall("shown") ?? "").split(",")) {
    const [key, value] = name.split(":");
    if (key && key in app.shown) app.shown[key as keyof Shown] = value === "1";
  }
  popover(trigger, (sheet) => {
    sheet.classList.add("see");
    sheet.append(h("h3", { text: "Look" }), cameras(app, view));
    for (const [title, lines] of GROUPS) {
      sheet.append(h("h3", { text: title }));
      for (const [key, text, note, colour] of lines) sheet.append(line(app, key, text, note, colour));
      if (title === "Arrows") sheet.append(arrowScale(app));
    }
    const legend = h("div", { class: "see-legend" });
    for (const [colour, text, note] of LEGEND) {
      const dot = h("span", { class: "colour" });
      dot.style.background = `var(${colour})`;
      legend.append(h("span", { class: "see-colour", title: note }, dot, text));
    }
    sheet.append(h("h3", { text: "Colours of the structure" }), legend);
  }, "see-sheet");
}

function line(app: App, key: keyof Shown, text: string, note: string, colour?: string): HTMLElement {
  const box = h("input", { type: "checkbox", class: "switch", testid: `show-${key}` });
  box.checked = app.shown[key];
  box.addEventListener("change", () => {
    app.show({ [key]: box.checked });
    remember("shown", Object.entries(app.shown).map(([k, v]) => `${k}:${v ? 1 : 0}`).join(","));
  });
  const dot = h("span", { class: "colour" });
  if (colour) dot.style.background = `var(${colour})`;
  return h("label", { class: "see-line", title: note }, box, h("span", { text }), colour ? dot : null);
}

/** Factor 1/16 to 16 on what suits the scene. */
function arrowScale(app: App): HTMLElement {
  const slider = h("input", { class: "slider", type: "range", testid: "arrow-scale", label: "Length of arrows", attrs: { min: "-4", max: "4", step: "0.25" } });
  const value = h("output", { class: "num" });
  const draw = () => {
    slider.value = String(Math.log2(app.arrowScale));
    fillSlider(slider);
    setText(value, `${Number(app.arrowScale.toPrecision(2))}×`);
  };
  slider.addEventListener("input", () => {
    app.arrowScale = 2 ** Number(slider.value);
    app.emit("shown", app.shown);
    draw();
  });
  draw();
  return h("label", { class: "see-scale" }, h("span", { text: "Length of arrows" }), slider, value);
}
