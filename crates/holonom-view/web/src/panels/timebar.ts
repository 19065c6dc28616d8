// The bar of time: play, pause, step, back to the start; speed; the recorded past to be scrubbed through; what a step costs and how well the
// joints hold.

import type { App } from "../app";
import type { Frame } from "../frame";
import type { StepMethod } from "../protocol";
import { button, h, setClass, setShown, setText } from "./dom";
import type { Keys } from "./keys";
import { seconds, short, times, withPrefix } from "./units";

const SPEEDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
const METHODS: [StepMethod, string, string][] = [
  ["auto", "Auto", "As the scene says; real-time steps where that cannot keep up with the clock"],
  ["accurate", "Accurate", "As the scene says, however long it takes"],
  ["real-time", "Real time", "One solve for each step, on velocities"],
];

function setTitle(node: HTMLElement, title: string): void {
  if (node.title !== title) node.title = title;
}

export function createTimeBar(app: App, host: HTMLElement, keys: Keys): void {
  const toggle = () => app.send({ do: app.frame?.playing ? "pause" : "play" });
  const step = () => app.send({ do: "step", ticks: 1 });
  const reset = () => app.send({ do: "reset" });

  const play = button({ label: "Play (Space)", icon: "play", class: "button icon-button play", testid: "play", press: () => app.send({ do: "play" }) });
  const pause = button({ label: "Pause (Space)", icon: "pause", class: "button icon-button play", testid: "pause", press: () => app.send({ do: "pause" }) });
  const stepper = button({ label: "One step (.)", icon: "step", class: "button icon-button", testid: "step", press: step });
  const resetter = button({ label: "Back to the start (Home)", icon: "reset", class: "button icon-button", testid: "reset", press: reset });
  pause.hidden = true;

  const clock = h("output", { class: "clock", testid: "time", label: "Simulated time" });

  const speed = h("select", { class: "select", testid: "speed", label: "Speed", title: "Simulated seconds per second ([ slower, ] faster)" });
  for (const s of SPEEDS) speed.append(h("option", { text: `${s}×`, attrs: { value: String(s) } }));
  const putSpeed = (factor: number) => app.send({ do: "speed", factor });
  speed.addEventListener("change", () => putSpeed(Number(speed.value)));
  const nudge = (by: 1 | -1) => {
    const now = app.frame?.speed ?? 1;
    const next = by > 0 ? SPEEDS.find((s) => s > now * 1.001) : SPEEDS.filter((s) => s < now * 0.999).pop();
    if (next !== undefined) putSpeed(next);
  };

  const scrub = h("input", { class: "slider scrub", type: "range", testid: "scrub", label: "Recorded moments", title: "Drag to see what was recorded; play goes on from there", attrs: { min: "0", max: "0", step: "1", value: "0" } });
  const scrubber = new Scrubber(app, scrub);

  const costTitle = "Time to compute one step";
  const realTime = h("span", { class: "pill", testid: "real-time" });
  const cost = h("span", { class: "stat stat-cost", testid: "cost", title: costTitle });
  const gapTitle = "Largest gap of any joint: how exactly the joints hold";
  const gap = h("span", { class: "stat stat-gap", testid: "gap", title: gapTitle });
  const method = h("select", { class: "select", testid: "method", label: "Method", title: METHODS.map(([, n, t]) => `${n}: ${t}`).join("\n") });
  for (const [value, text, title] of METHODS) method.append(h("option", { text, title, attrs: { value } }));
  method.addEventListener("change", () => app.send({ do: "method", method: method.value as StepMethod }));

  host.append(
    h("div", { class: "time-buttons" }, resetter, play, pause, stepper),
    clock,
    h("div", { class: "time-scrub" }, scrub),
    h("div", { class: "time-stats" }, realTime, cost, gap),
    h("div", { class: "time-menus" }, speed, method),
  );

  keys.add(
    { key: " ", shown: "Space", does: "play or pause", group: "Time", press: toggle },
    { key: ".", shown: ".", does: "one step (hold it down for more)", group: "Time", press: step },
    { key: "Home", shown: "Home", does: "back to the start", group: "Time", press: reset },
    { key: "[", shown: "[", does: "slower", group: "Time", press: () => nudge(-1) },
    { key: "]", shown: "]", does: "faster", group: "Time", press: () => nudge(1) },
  );

  const draw = (frame: Frame) => {
    setShown(play, !frame.playing);
    setShown(pause, frame.playing);
    setText(clock, `t = ${seconds(frame.time)}`);
    setClass(clock, "past", frame.past);
    if (document.activeElement !== speed) putOption(speed, frame.speed, `${frame.speed}×`);
    if (document.activeElement !== method) method.value = frame.method;
    scrubber.see(frame);
    pace(realTime, frame);
    // what only some can read stands behind it
    setText(cost, frame.cost_us > 0 ? `${withPrefix(frame.cost_us * 1e-6, "s", 2)} per step` : "");
    setTitle(cost, `${costTitle}, by the method ${frame.integrator}`);
    setText(gap, frame.gap > 1e-6 ? `joints open by ${short(frame.gap)} m` : "joints closed");
    setClass(gap, "warn", frame.gap > 1e-6 || frame.broken.length > 0);
    const title = frame.broken.length > 0 ? `Not as exact as promised: ${frame.broken.join("; ")}` : `${gapTitle}: ${short(frame.gap)} m or rad`;
    setTitle(gap, title);
  };
  app.on("frame", draw);
  app.on("connection", (state) => {
    if (state !== "lost") return;
    setShown(play, true);
    setShown(pause, false);
    for (const name of ["good", "warn"]) setClass(realTime, name, false);
    setText(realTime, "not connected");
  });
}

/** A value of a menu; one that the menu does not have is added. */
function putOption(select: HTMLSelectElement, value: number, text: string): void {
  const key = String(value);
  if (select.value === key) return;
  if (![...select.options].some((o) => o.value === key)) select.append(h("option", { text, attrs: { value: key } }));
  select.value = key;
}

/** Does time keep up with the clock? */
function pace(pill: HTMLElement, frame: Frame): void {
  const behind = frame.real_time < 0.97 * frame.speed;
  const text = !frame.playing ? (frame.past ? "the past" : "paused") : behind ? times(frame.real_time) : frame.speed === 1 ? "real time" : `${frame.speed}× as asked`;
  setText(pill, text);
  setClass(pill, "good", frame.playing && !behind);
  setClass(pill, "warn", (frame.playing && behind) || (frame.past && !frame.playing));
  pill.title = behind && frame.playing
    ? `Simulated seconds per second: ${times(frame.real_time)} reached, ${frame.speed}× asked for`
    : "Whether simulated time keeps up with the clock";
}

/** The slider over what is recorded. While it is dragged, it leads and the program follows, with one request under way per drawn frame. */
class Scrubber {
  private dragging = false;
  private wanted: number | null = null;

  constructor(private app: App, private input: HTMLInputElement) {
    input.addEventListener("pointerdown", () => (this.dragging = true));
    for (const end of ["pointerup", "pointercancel", "blur"] as const) input.addEventListener(end, () => (this.dragging = false));
    input.addEventListener("input", () => this.want(Number(input.value)));
    // moments are kept some ticks apart: a key that went one tick on would come back to where it was
    input.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
      if (way === undefined || !app.picture) return;
      event.preventDefault();
      const [first, last] = [Number(input.min), Number(input.max)];
      const step = Math.max(Math.ceil(1 / 60 / app.picture.tick), (last - first) / 200);
      this.want(Math.round(Math.max(first, Math.min(last, Number(input.value) + way * step))));
    });
  }

  private want(tick: number): void {
    if (this.wanted === null) requestAnimationFrame(() => this.tell());
    this.wanted = tick;
    this.input.value = String(tick);
    this.fill();
  }

  see(frame: Frame): void {
    const [first, last] = frame.recorded;
    if (this.input.min !== String(first)) this.input.min = String(first);
    if (this.input.max !== String(last)) this.input.max = String(last);
    this.input.disabled = last <= first;
    if (!this.dragging && this.wanted === null) this.input.value = String(frame.tick);
    this.input.setAttribute("aria-valuetext", seconds(frame.time));
    this.fill();
  }

  private tell(): void {
    if (this.wanted !== null) this.app.send({ do: "seek", tick: this.wanted });
    this.wanted = null;
  }

  private fill(): void {
    fillSlider(this.input);
  }
}

/** The part of a slider's track left of its knob is drawn in the accent: the style sheet needs to know how much that is. */
export function fillSlider(input: HTMLInputElement): void {
  const [min, max] = [Number(input.min), Number(input.max)];
  const part = max > min ? (Number(input.value) - min) / (max - min) : 0;
  input.style.setProperty("--fill", `${(100 * part).toFixed(2)}%`);
}
