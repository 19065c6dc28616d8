// Jogging: a point of a body, the tool, is moved at a steady velocity by the motors of the mechanism, as long as a key or a button of the pad is held.
//
// Left and right, nearer and farther are world axes: those closest to how one looks at the scene. Keys: arrows or W A S D for the level, Q and E for lower and higher; Shift is four times as fast.

import { Vector3 } from "three";
import type { Triple } from "../protocol";
import type { View } from "../view";
import { KeepAlive, type PointerTool } from "./tool";

type Way = "left" | "right" | "nearer" | "farther" | "higher" | "lower";

const KEYS: Record<string, Way> = {
  arrowleft: "left",
  arrowright: "right",
  arrowup: "farther",
  arrowdown: "nearer",
  a: "left",
  d: "right",
  w: "farther",
  s: "nearer",
  e: "higher",
  q: "lower",
  pageup: "higher",
  pagedown: "lower",
};

const BUTTONS: ([Way, string] | null)[] = [
  ["lower", "⤓"],
  ["farther", "▲"],
  ["higher", "⤒"],
  ["left", "◀"],
  null,
  ["right", "▶"],
  null,
  ["nearer", "▼"],
  null,
];

export function jogTool(view: View): PointerTool & { show(on: boolean): void } {
  const { app } = view;
  let tool: { number: number; body: string; point: Triple } | null = null;
  let fast = false;
  const held = new Set<Way>();
  let jogging = false;
  const alive = new KeepAlive(say);

  const pad = document.createElement("div");
  pad.className = "v3-pad";
  pad.hidden = true;
  pad.setAttribute("role", "group");
  pad.setAttribute("aria-label", "Move the tool point");
  const hint = document.createElement("div");
  hint.className = "v3-hint";
  for (const entry of BUTTONS) {
    if (!entry) {
      pad.append(document.createElement("span"));
      continue;
    }
    const [way, sign] = entry;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = sign;
    button.title = way[0].toUpperCase() + way.slice(1);
    button.setAttribute("aria-label", button.title);
    button.dataset.way = way;
    const press = (on: boolean): void => hold(way, on);
    button.addEventListener("pointerdown", (e) => {
      e.preventDefault();
      button.setPointerCapture(e.pointerId);
      press(true);
    });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) button.addEventListener(end, () => press(false));
    // held with the keyboard
    button.addEventListener("keydown", (e) => {
      if (e.key === "Enter" || e.key === " ") {
        e.preventDefault();
        e.stopPropagation();
        press(true);
      }
    });
    button.addEventListener("keyup", () => press(false));
    button.addEventListener("blur", () => press(false));
    pad.append(button);
  }
  pad.append(hint);
  view.overlay.append(pad);

  function directions(): Record<Way, Vector3> {
    const away = view.camera.eye.getWorldDirection(new Vector3());
    const up = new Vector3().setFromMatrixColumn(view.camera.eye.matrixWorld, 1);
    // looking down, the top of the screen is "farther"
    const flat = Math.abs(away.z) > 0.95 ? up : away;
    const farther = Math.abs(flat.x) > Math.abs(flat.y) ? new Vector3(Math.sign(flat.x), 0, 0) : new Vector3(0, Math.sign(flat.y) || 1, 0);
    const right = new Vector3(farther.y, -farther.x, 0);
    return {
      farther,
      nearer: farther.clone().negate(),
      right,
      left: right.clone().negate(),
      higher: new Vector3(0, 0, 1),
      lower: new Vector3(0, 0, -1),
    };
  }

  function velocity(): Triple {
    const v = new Vector3();
    const ways = directions();
    for (const way of held) v.add(ways[way]);
    if (v.lengthSq() > 0) v.normalize().multiplyScalar(speed());
    return [v.x, v.y, v.z];
  }

  /** An eighth of the scene a second. */
  function speed(): number {
    return 0.125 * view.size * (fast ? 4 : 1);
  }

  function say(): void {
    if (!tool) return;
    app.send({ do: "jog", body: tool.body, point: tool.point, velocity: velocity() });
  }

  function hold(way: Way, on: boolean): void {
    const before = held.size;
    if (on) held.add(way);
    else held.delete(way);
    for (const b of pad.querySelectorAll<HTMLElement>("button")) b.classList.toggle("v3-on", held.has(b.dataset.way as Way));
    if (!tool) {
      if (on) app.emit("note", "Click the point of a body that is to be moved first.");
      return;
    }
    if (held.size > 0 && !jogging) {
      jogging = true;
      alive.start();
    }
    if (held.size !== before) say();
    if (held.size === 0 && jogging) {
      jogging = false;
      alive.stop();
    }
  }

  function stop(): void {
    for (const way of [...held]) hold(way, false);
  }

  function tell(): void {
    hint.textContent = tool ? tool.body : "Click the point to move";
  }

  function mark(): void {
    view.marks.tool = tool && app.tool === "jog" ? { at: view.poses.toWorld(tool.number, tool.point), text: "tool" } : null;
  }

  app.on("frame", mark);
  app.on("picture", (p) => {
    const name = tool?.body;
    const number = p.bodies.findIndex((b) => b.name === name);
    if (tool && number >= 0) tool.number = number;
    else {
      stop();
      tool = null;
    }
    tell();
  });
  app.on("connection", (c) => {
    if (c !== "open") stop();
  });

  return {
    show(on) {
      pad.hidden = !on;
      if (!on) stop();
      tell();
      mark();
      view.invalidate();
    },
    down: (_, body) => body !== null,
    move() {},
    up(p, click) {
      const body = click && view.pickBody(p.x, p.y, p.touch ? 14 : 5);
      if (!body) return;
      stop();
      // a named or characteristic point nearby is meant rather than the spot on the surface
      const snap = view.snap(p.x, p.y);
      tool = snap && snap.body === body.body ? { number: snap.body, body: snap.name, point: snap.point } : { number: body.body, body: body.name, point: body.local };
      tell();
      mark();
      view.invalidate();
    },
    cancel: stop,
    key(e, down) {
      fast = e.shiftKey;
      const way = KEYS[e.key.toLowerCase()];
      if (!way || e.ctrlKey || e.metaKey || e.altKey) return false;
      if (!e.repeat) hold(way, down);
      return true;
    },
  };
}
