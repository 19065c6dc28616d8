// The hands of the page: which pointer does what. One finger or button on a body goes to the tool; beside bodies, with the other buttons, or with two fingers it turns, moves and zooms the camera.
//
// Mouse: left beside bodies or right anywhere turns, middle (or Shift with either) moves, the wheel zooms to the pointer. Fingers: one beside bodies turns, two pinch, move and turn.
// A click selects; with Alt it traces the point clicked, or stops tracing it.
// Keys while the view has the focus: F fit, 1 3 7 front, right and top, 0 home, arrows turn, + and - zoom, P pin, Escape let go of everything.

import { Vector3 } from "three";
import type { App, Tool } from "../app";
import { EMBEDDED } from "../site/embedded";
import type { View } from "../view";
import { dragTool } from "./drag";
import { jogTool } from "./jog";
import { pushTool, twistTool } from "./push";
import type { Pointer, PointerTool } from "./tool";

export type { Pointer, PointerTool } from "./tool";

export interface Touch {
  /** Gives a tool of the page its behaviour; the build tool is registered by whoever makes it. */
  register(name: Tool, tool: PointerTool): void;
  /** Lets go of whatever this page holds. */
  letGo(): void;
  readonly holding: boolean;
  dispose(): void;
}

const STILL = 4; // pixels a click may move
const DOUBLE = 350; // ms between the presses of a double click

export function createTouch(view: View, app: App): Touch {
  const { canvas, camera } = view;
  const jog = jogTool(view);
  const drag = dragTool(view);
  const look: PointerTool = { down: () => false, move() {}, up() {}, cancel() {} };
  const trail: PointerTool = {
    down: (_, body) => body !== null,
    move() {},
    up(p, click) {
      const body = click && view.pickBody(p.x, p.y, p.touch ? 14 : 5);
      if (body) view.trace(body.body, body.local);
    },
    cancel() {},
  };
  const tools: Record<Tool, PointerTool> = { drag, push: pushTool(view), twist: twistTool(view), jog, trail, build: look };

  /** All pointers that are down. */
  const down = new Map<number, { x: number; y: number }>();
  /** The pointer that a tool or the camera holds, and what it does. */
  let held: { id: number; what: "tool" | "turn" | "move"; tool: PointerTool; from: Pointer; last: Pointer; still: boolean } | null = null;
  let pinch: { distance: number; angle: number; x: number; y: number } | null = null;
  let lastPress = { time: -1e9, x: 0, y: 0 };
  let hoverAsked = 0;
  let hoverAt: Pointer | null = null;

  const current = (): PointerTool => tools[app.tool];
  const pointer = (e: PointerEvent | WheelEvent | MouseEvent): Pointer => ({
    x: e.clientX,
    y: e.clientY,
    shift: e.shiftKey,
    alt: e.altKey,
    touch: "pointerType" in e && e.pointerType === "touch",
  });

  // ---- pointers ----

  function onDown(e: PointerEvent): void {
    canvas.focus({ preventScroll: true });
    const p = pointer(e);
    down.set(e.pointerId, p);
    try {
      canvas.setPointerCapture(e.pointerId);
    } catch {
      // a pointer that is gone already
    }
    if (e.pointerType === "touch" && down.size === 2) {
      if (held?.what === "tool") held.tool.cancel();
      held = null;
      pinch = pinching();
      return;
    }
    if (held || down.size > 2) return;
    view.hover(null);
    e.preventDefault();
    const left = e.button === 0;
    if (left) {
      const pin = view.marks.pinAt(p.x, p.y, view.project, p.touch ? 20 : 12);
      if (pin) {
        app.send({ do: "release", hand: pin.hand, client: pin.client });
        return;
      }
      const body = view.pickBody(p.x, p.y, p.touch ? 14 : 5);
      const tool = current();
      const again = e.timeStamp - lastPress.time < DOUBLE && Math.hypot(p.x - lastPress.x, p.y - lastPress.y) < (p.touch ? 24 : 6);
      lastPress = { time: again ? -1e9 : e.timeStamp, x: p.x, y: p.y };
      if (again && tool.twice?.(p, body)) return;
      if (tool.down(p, body)) {
        held = { id: e.pointerId, what: "tool", tool, from: p, last: p, still: true };
        canvas.style.cursor = "grabbing";
        return;
      }
    }
    const what = e.button === 1 || p.shift ? "move" : "turn";
    held = { id: e.pointerId, what, tool: look, from: p, last: p, still: true };
  }

  function onMove(e: PointerEvent): void {
    const p = pointer(e);
    if (down.has(e.pointerId)) down.set(e.pointerId, p);
    if (pinch) {
      followPinch();
      return;
    }
    if (!held) {
      if (down.size === 0 && e.pointerType !== "touch") askHover(p);
      return;
    }
    if (held.id !== e.pointerId) return;
    const [dx, dy] = [p.x - held.last.x, p.y - held.last.y];
    if (Math.hypot(p.x - held.from.x, p.y - held.from.y) > (p.touch ? 2.5 * STILL : STILL)) held.still = false;
    held.last = p;
    if (held.what === "tool") {
      // the other button, pressed while the first is held, comes as a move
      if (e.button === 2 && e.buttons & 2) held.tool.second?.();
      else held.tool.move(p);
    } else if (held.what === "turn") camera.orbit(dx * 0.008, dy * 0.008);
    else camera.pan(dx, dy);
  }

  function onUp(e: PointerEvent): void {
    down.delete(e.pointerId);
    if (pinch) {
      if (down.size < 2) pinch = null;
      return;
    }
    if (!held || held.id !== e.pointerId) return;
    const { what, tool, still } = held;
    held = null;
    canvas.style.cursor = "";
    const p = pointer(e);
    if (what === "tool") tool.up(p, still);
    if (still && e.button === 0 && app.tool !== "build") choose(p);
  }

  function onCancel(e: PointerEvent): void {
    down.delete(e.pointerId);
    if (down.size < 2) pinch = null;
    if (!held || held.id !== e.pointerId) return;
    if (held.what === "tool") held.tool.cancel();
    held = null;
    canvas.style.cursor = "";
  }

  /** A click: selects what is there. Where several joints sit in one place, each click takes the next. */
  function choose(p: Pointer): void {
    if (p.alt && app.tool === "drag") {
      trail.up(p, true);
      return;
    }
    const pick = view.pick(p.x, p.y, p.touch ? 14 : 5);
    if (pick?.kind === "joint") {
      const here = view.pickJoints(p.x, p.y, p.touch ? 16 : 10);
      const now = app.selection?.kind === "joint" ? here.findIndex((j) => j.name === app.selection?.name) : -1;
      const next = here[(now + 1) % here.length] ?? pick;
      app.select({ kind: "joint", name: next.name });
    } else app.select(pick && { kind: pick.kind, name: pick.name });
  }

  // ---- two fingers ----

  function pinching(): typeof pinch {
    const [a, b] = [...down.values()];
    if (!a || !b) return null;
    return { distance: Math.max(10, Math.hypot(b.x - a.x, b.y - a.y)), angle: Math.atan2(b.y - a.y, b.x - a.x), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  }

  function followPinch(): void {
    const next = pinching();
    if (!next || !pinch) return;
    camera.zoom(pinch.distance / next.distance, new Vector3(...view.facingPoint(next.x, next.y, [camera.target.x, camera.target.y, camera.target.z])));
    camera.pan(next.x - pinch.x, next.y - pinch.y);
    const turn = next.angle - pinch.angle;
    camera.orbit(-Math.atan2(Math.sin(turn), Math.cos(turn)), 0);
    pinch = next;
  }

  // ---- hovering ----

  function askHover(p: Pointer): void {
    hoverAt = p;
    if (hoverAsked) return;
    // large scenes are searched when the pointer rests rather than at each move
    const wait = (app.picture?.bodies.length ?? 0) > 1500 ? 90 : 25;
    hoverAsked = window.setTimeout(() => {
      hoverAsked = 0;
      if (!hoverAt || held || pinch) return;
      if (current().hover?.(hoverAt)) return;
      const pin = view.marks.pinAt(hoverAt.x, hoverAt.y, view.project);
      const pick = pin ? null : view.pick(hoverAt.x, hoverAt.y);
      canvas.style.cursor = pin ? "pointer" : pick?.kind === "body" ? (app.tool === "drag" ? "grab" : "crosshair") : pick ? "pointer" : "";
      view.hover(pick);
    }, wait);
  }

  function onLeave(): void {
    hoverAt = null;
    if (!held) view.hover(null);
  }

  // ---- wheel and keys ----

  function onWheel(e: WheelEvent): void {
    // inside a text the wheel turns its pages, until the view is pressed
    if (EMBEDDED && document.activeElement !== canvas && !e.ctrlKey) return;
    e.preventDefault();
    const pixels = e.deltaY * (e.deltaMode === 1 ? 33 : e.deltaMode === 2 ? 400 : 1);
    const steps = Math.max(-3, Math.min(3, pixels / 100));
    if (held?.what === "tool" && held.tool.wheel?.(steps)) return;
    const t = camera.target;
    const body = view.pickBody(e.clientX, e.clientY, 0);
    const through = body ? body.world : ([t.x, t.y, t.z] as [number, number, number]);
    camera.zoom(Math.exp(0.16 * steps), new Vector3(...view.facingPoint(e.clientX, e.clientY, through)));
  }

  function onKeyDown(e: KeyboardEvent): void {
    const tool = held?.what === "tool" ? held.tool : current();
    if (e.key === "Escape") {
      letGo();
      return;
    }
    if (tool.key?.(e, true)) {
      e.preventDefault();
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const step = e.shiftKey ? 0.35 : 0.09;
    const keys: Record<string, () => void> = {
      f: () => view.fit(),
      "0": () => view.look("home"),
      "1": () => view.look("front"),
      "3": () => view.look("right"),
      "7": () => view.look("top"),
      "5": () => app.show({ parallel: !app.shown.parallel }),
      ArrowLeft: () => camera.orbit(-step, 0),
      ArrowRight: () => camera.orbit(step, 0),
      ArrowUp: () => camera.orbit(0, step),
      ArrowDown: () => camera.orbit(0, -step),
      "+": () => camera.zoom(0.88),
      "=": () => camera.zoom(0.88),
      "-": () => camera.zoom(1.14),
    };
    const act = keys[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!act) return;
    e.preventDefault();
    act();
  }

  function onKeyUp(e: KeyboardEvent): void {
    const tool = held?.what === "tool" ? held.tool : current();
    tool.key?.(e, false);
  }

  /** Escape: this page's hands, and pins of everybody. */
  function letGo(): void {
    drop();
    if ((app.frame?.hands.length ?? 0) > 0) app.send({ do: "release-all" });
    else app.select(null);
  }

  function drop(): void {
    if (held?.what === "tool") held.tool.cancel();
    held = null;
    pinch = null;
    down.clear();
    current().cancel();
    canvas.style.cursor = "";
  }

  const onMenu = (e: Event): void => e.preventDefault();
  const listen = <K extends keyof HTMLElementEventMap>(name: K, f: (e: HTMLElementEventMap[K]) => void, options?: AddEventListenerOptions): (() => void) => {
    canvas.addEventListener(name, f as EventListener, options);
    return () => canvas.removeEventListener(name, f as EventListener, options);
  };
  const ends = [
    listen("pointerdown", onDown),
    listen("pointermove", onMove),
    listen("pointerup", onUp),
    listen("pointercancel", onCancel),
    listen("lostpointercapture", onCancel),
    listen("pointerleave", onLeave),
    listen("wheel", onWheel, { passive: false }),
    listen("contextmenu", onMenu),
    listen("keydown", onKeyDown),
    listen("keyup", onKeyUp),
    app.on("tool", (tool) => {
      drop();
      view.hover(null);
      jog.show(tool === "jog");
    }),
  ];
  window.addEventListener("blur", drop);
  jog.show(app.tool === "jog");

  return {
    register(name, tool) {
      tools[name] = tool;
    },
    letGo,
    get holding() {
      return held?.what === "tool";
    },
    dispose() {
      drop();
      ends.forEach((end) => end());
      window.removeEventListener("blur", drop);
    },
  };
}
