// The pointer while building: draws rods from point to point, places bodies, joins two points, pins points to the ground, selects and moves.
//
// Places snap to points of bodies and of the ground first (a ring shows it), then to the grid of the working plane. Right button, or two fingers, turn the camera.

import { Matrix4, Quaternion, Vector3 } from "three";
import type { App } from "../app";
import type { AttachedJoint, GeometryPicture, JsonValue, PlacedFrame, Triple } from "../protocol";
import type { Pointer, PointerTool } from "../touch";
import type { BodyPick, Snap, View } from "../view";
import { edit, round, type Fields } from "./edits";
import type { WorkPlane } from "./plane";
import type { Choice, Item } from "./state";

/** A place that was pointed at, and what is there. */
interface Place {
  world: Triple;
  snap: Snap | null;
}

export function buildTool(app: App, view: View, plane: WorkPlane, choice: Choice): PointerTool {
  /** First end of a line, or first point of a joint. */
  let first: Place | null = null;
  /** Is the first press still held? */
  let pressed = false;
  let moving: { body: BodyPick; from: Triple; origin: Triple; to: Triple } | null = null;

  function place(p: Pointer, leaveOut = -2): Place | null {
    const snap = view.snap(p.x, p.y, p.touch ? 22 : 13, leaveOut);
    if (snap) return { world: snap.world, snap };
    const at = plane.at(p.x, p.y, first?.world ?? [0, 0, 0]);
    return at && { world: at, snap: null };
  }

  function mark(at: Place | null): void {
    plane.refresh();
    view.marks.snap = at && { at: new Vector3(...at.world), text: at.snap?.label ?? coordinates(at.world) };
    view.invalidate();
  }

  function clear(): void {
    first = null;
    pressed = false;
    moving = null;
    view.marks.line = null;
    view.marks.snap = null;
    view.ghost(null);
    hint();
  }

  function hint(): void {
    const item = choice.item;
    const says: Record<Item["do"], string> = {
      select: "Click a body or joint to change it; drag a body to move it.",
      line: first ? "Now its other end." : "Press at one end and drag to the other, or click both ends.",
      place: "Click where it is to be.",
      joint: first ? `Now the second point. An empty place is the ground.` : "Click the first point: an end, a corner, a centre.",
      pin: "Click a point to pin it to the ground there.",
    };
    choice.say(says[item.do]);
  }
  choice.on(() => {
    if (choice.item !== last) {
      last = choice.item;
      clear();
    }
  });
  let last: Item = choice.item;

  const axis = (): Triple => ({ normal: round(plane.normal), x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] })[choice.axis] as Triple;

  // ---- lines ----

  function line(item: Extract<Item, { do: "line" }>, a: Place, b: Place): void {
    const [from, to] = [round(a.world), round(b.world)];
    const length = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    const body: Fields = { ...item.body(), from, to };
    const joints: AttachedJoint[] = [];
    const kind = choice.ends;
    if (kind !== null) {
      for (const [end, point] of [[a, [0, 0, 0]], [b, [length, 0, 0]]] as [Place, Triple][]) {
        if (end.snap) joints.push({ joint: kind, point, to: { body: end.snap.name, point: end.snap.point }, axis: round(plane.normal) });
      }
    }
    // two joints to the same body would be one too many for a mechanism, and none of them is wrong: the doctor says so
    edit(app, { kind: "add-body", body, joints });
  }

  function ghostLine(item: Extract<Item, { do: "line" }>, a: Triple, b: Triple): void {
    const [p, q] = [new Vector3(...a), new Vector3(...b)];
    const length = p.distanceTo(q);
    if (length < 1e-9) return view.ghost(null);
    const along = q.clone().sub(p).divideScalar(length);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), along);
    const shape = item.body().shape as Record<string, JsonValue>;
    const geometry = geometryOf({ ...shape, length });
    const middle = p.clone().add(q).multiplyScalar(0.5);
    view.ghost(geometry, { at: [middle.x, middle.y, middle.z], turn: [turn.x, turn.y, turn.z, turn.w] });
  }

  function long(a: Place, b: Place): boolean {
    return Math.hypot(...a.world.map((x, i) => x - b.world[i])) > 1e-3 * view.size;
  }

  // ---- bodies at a place ----

  function ghostPlaced(item: Extract<Item, { do: "place" }>, at: Triple): void {
    const body = item.body();
    view.ghost(geometryOf(body.shape as Record<string, JsonValue>), { at, turn: turnOf(body.rotation) });
  }

  // ---- joints ----

  function join(item: Extract<Item, { do: "joint" }>, a: Place, b: Place): void {
    const spot = (p: Place) => (p.snap ? { body: p.snap.name, point: p.snap.point } : { body: "ground", point: round(p.world) });
    const [one, two] = [spot(a), spot(b)];
    // the ground comes first: joints are drawn, and counted, from a to b
    const [from, to] = two.body === "ground" ? [two, one] : [one, two];
    edit(app, { kind: "add-joint", joint: item.joint.kind, a: from, b: to, axis: axis() });
  }

  function pin(at: Place): void {
    if (!at.snap || at.snap.body < 0) {
      edit(app, { kind: "add-ground-point", at: round(at.world) });
      return;
    }
    edit(app, { kind: "add-joint", joint: choice.pinned, a: { body: "ground", point: round(at.world) }, b: { body: at.snap.name, point: at.snap.point }, axis: round(plane.normal) });
  }

  // ---- selecting and moving ----

  function select(p: Pointer): void {
    const pick = view.pick(p.x, p.y, p.touch ? 14 : 6);
    if (pick?.kind === "joint") {
      const here = view.pickJoints(p.x, p.y, p.touch ? 16 : 10);
      const now = app.selection?.kind === "joint" ? here.findIndex((j) => j.name === app.selection?.name) : -1;
      const next = here[(now + 1) % Math.max(here.length, 1)] ?? pick;
      app.select({ kind: "joint", name: next.name });
    } else app.select(pick && { kind: pick.kind, name: pick.name });
  }

  const tool: PointerTool = {
    down(p, body) {
      const item = choice.item;
      if (item.do === "select") {
        if (!body) {
          select(p);
          return false; // turns the camera
        }
        const pose = view.poses.toWorld(body.body, [0, 0, 0]);
        const origin: Triple = [pose.x, pose.y, pose.z];
        moving = { body, from: body.world, origin, to: origin };
        return true;
      }
      const at = place(p);
      if (!at) {
        choice.say("The working plane is seen edge on: turn the view, or choose another plane.");
        return false;
      }
      if ((item.do === "line" || item.do === "joint") && !first) {
        first = at;
        pressed = true;
      }
      mark(at);
      hint();
      return true;
    },

    move(p) {
      const item = choice.item;
      if (moving) {
        const now = view.facingPoint(p.x, p.y, moving.from);
        const start = moving.from;
        moving.to = plane.snapped(round(moving.origin.map((x, i) => x + now[i] - start[i]) as Triple));
        view.marks.line = [new Vector3(...moving.origin), new Vector3(...moving.to)];
        view.invalidate();
        return;
      }
      const at = place(p);
      mark(at);
      if (!at) return;
      if (item.do === "line" && first) ghostLine(item, first.world, at.world);
      if (item.do === "joint" && first) view.marks.line = [new Vector3(...first.world), new Vector3(...at.world)];
      if (item.do === "place") ghostPlaced(item, at.world);
    },

    up(p, click) {
      const item = choice.item;
      if (item.do === "select") {
        const held = moving;
        clear();
        if (click || !held) select(p);
        else {
          app.select({ kind: "body", name: held.body.name });
          edit(app, { kind: "move-body", body: held.body.name, at: held.to });
        }
        return;
      }
      const at = place(p);
      const start = first;
      const fresh = pressed;
      pressed = false;
      if (!at) return;
      if (item.do === "line" && start) {
        if (fresh && !long(start, at)) return hint(); // a click: the other end is clicked, too
        if (long(start, at)) line(item, start, at);
        clear();
      } else if (item.do === "joint" && start) {
        const same = start.snap !== null && at.snap?.name === start.snap.name;
        if (fresh && (click || same || !long(start, at))) return hint();
        if (same) choice.say("Both points are on the same body: click a point of another one, or an empty place for the ground.");
        else {
          join(item, start, at);
          clear();
        }
      } else if (item.do === "place") {
        edit(app, { kind: "add-body", body: { ...item.body(), at: round(at.world) } });
        clear();
      } else if (item.do === "pin") {
        pin(at);
        clear();
      }
    },

    cancel: clear,

    hover(p) {
      const item = choice.item;
      if (item.do === "select") return false;
      view.hover(null);
      view.canvas.style.cursor = "crosshair";
      tool.move(p);
      return true;
    },

    key(e, down) {
      if (!down || e.key !== "Escape") return false;
      if (first) clear();
      else choice.take("select", { do: "select" });
      return true;
    },
  };
  hint();
  return tool;
}

const coordinates = (p: Triple): string => p.map((x) => Number(x.toFixed(4))).join(", ");

/** What a shape of a scene looks like. */
function geometryOf(shape: Record<string, unknown>): GeometryPicture | null {
  const n = (key: string): number => Number(shape[key] ?? 0);
  switch (shape.kind) {
    case "box":
      return { kind: "box", size: shape.size as Triple };
    case "sphere":
      return { kind: "sphere", radius: n("radius") };
    case "ellipsoid":
      return { kind: "ellipsoid", radii: shape.half_axes as Triple };
    case "beam":
      return { kind: "box", size: [n("width"), n("height"), n("length")] };
    case "rod":
      return { kind: "cylinder", radius: n("radius"), length: n("length") };
    case "cylinder":
    case "capsule":
      return { kind: shape.kind, radius: n("radius"), length: n("length") };
    case "cone":
      return { kind: "cone", radius: n("radius"), height: n("height") };
    case "tube":
      return { kind: "tube", inner: n("inner_radius"), outer: n("outer_radius"), length: n("length") };
    case "torus":
      return { kind: "torus", radius: n("ring_radius"), tube: n("tube_radius") };
    default:
      return null;
  }
}

/** A rotation with its axes given, as a quaternion. */
function turnOf(rotation: unknown): PlacedFrame["turn"] {
  const r = rotation as { x?: Triple; z?: Triple } | undefined;
  if (!r?.x || !r.z) return [0, 0, 0, 1];
  const [x, z] = [new Vector3(...r.x), new Vector3(...r.z)];
  const q = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, z.clone().cross(x), z));
  return [q.x, q.y, q.z, q.w];
}
