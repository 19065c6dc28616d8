// The most force of a dragging hand: a logarithmic slider from 0.1 N to 100 kN. A scene suggests ten times its own weight: enough to lift all
// of it, and not enough to tear at it.

import type { App } from "../app";
import type { Picture } from "../protocol";
import { button, h, setText } from "./dom";
import { fillSlider } from "./timebar";
import { withPrefix } from "./units";

const LEAST = 0.1;
const MOST = 1e5;
/** Steps of the slider for a factor of ten. */
const FINE = 20;

/** What suits a scene, N: ten times its weight, to two digits. On earth where the scene has no gravity. */
export function suggestedCap(picture: Picture): number {
  const mass = picture.bodies.reduce((sum, b) => sum + (Number.isFinite(b.mass) ? b.mass : 0), 0);
  const gravity = Math.hypot(...picture.gravity) || 9.81;
  const cap = Number((10 * mass * gravity).toPrecision(2));
  return cap > 0 ? Math.min(MOST, Math.max(LEAST, cap)) : 100;
}

/** "0.1 N", "590 N", "12 kN". */
function capText(cap: number): string {
  return cap < 1000 ? `${cap} N` : withPrefix(cap, "N");
}

export function createCap(app: App): HTMLElement {
  const slider = h("input", { class: "slider", type: "range", testid: "cap", label: "Most force of the hand",
    attrs: { min: "0", max: String(Math.round(FINE * Math.log10(MOST / LEAST))), step: "1" } });
  const value = h("output", { class: "cap-value", testid: "cap-value" });
  let suggested = app.cap;
  const usual = button({ label: "Use the force that suits this scene", icon: "target", class: "button icon-button cap-usual", testid: "cap-usual", press: () => put(suggested) });

  const draw = () => {
    slider.value = String(Math.round(FINE * Math.log10(app.cap / LEAST)));
    slider.setAttribute("aria-valuetext", capText(app.cap));
    fillSlider(slider);
    setText(value, capText(app.cap));
    usual.title = `Use what suits this scene: ${capText(suggested)}, ten times its weight`;
    usual.disabled = app.cap === suggested;
  };
  const put = (cap: number) => {
    app.cap = cap;
    app.emit("touch", undefined);
    for (const hand of app.frame?.hands ?? []) {
      if (hand.client === app.client && hand.kind === "grab") app.send({ do: "cap", hand: hand.hand, cap });
    }
    draw();
  };
  slider.addEventListener("input", () => put(Number((LEAST * 10 ** (Number(slider.value) / FINE)).toPrecision(2))));

  let scene: string | null = null;
  app.on("picture", (picture) => {
    suggested = suggestedCap(picture);
    // edits of the same scene leave the choice alone
    if (scene !== picture.name) put(suggested);
    else draw();
    scene = picture.name;
  });
  app.on("touch", draw);
  draw();
  return h("label", { class: "cap", title: "Most force that a dragging hand applies" }, h("span", { class: "cap-name", text: "Hand force" }), slider, value, usual);
}
