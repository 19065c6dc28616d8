// Pushing and twisting: an arrow is drawn out of a body, and its force (its torque) acts as long as it is held; P or Alt leave it there.
//
// Push: the whole cap is 150 pixels of arrow. Twist: turning the pointer a quarter turn round the point pressed is the whole cap on an arm of a twentieth of the scene; about the axis of the joint that
// is selected if the body hangs on it, otherwise about the line of sight.

import { Vector3 } from "three";
import type { Triple } from "../protocol";
import { triple } from "../view/types";
import type { View } from "../view";
import { KeepAlive, nextHand, Wakefulness, type PointerTool } from "./tool";

const WHOLE = 150; // pixels of arrow for the whole cap

/** What push and twist have in common: a hand that says its load again and again. */
function loading(view: View, say: (hand: number) => void): { begin(): number; changed(): void; end(keep: boolean): void; readonly hand: number } {
  const { app } = view;
  let hand = 0;
  const awake = new Wakefulness(app);
  const alive = new KeepAlive(() => {
    if (hand) say(hand);
  });
  const forget = (): void => {
    hand = 0;
    alive.stop();
    awake.end();
    view.invalidate();
  };
  app.on("connection", (c) => {
    if (c !== "open") forget();
  });
  return {
    get hand() {
      return hand;
    },
    begin() {
      hand = nextHand();
      say(hand);
      awake.begin();
      alive.start();
      return hand;
    },
    changed: () => alive.soon(),
    end(keep) {
      if (hand) {
        if (keep) {
          say(hand);
          app.send({ do: "pin", hand });
        } else app.send({ do: "release", hand });
      }
      forget();
    },
  };
}

export function pushTool(view: View): PointerTool {
  const { app } = view;
  let body = "";
  let point: Triple = [0, 0, 0];
  let start: Triple = [0, 0, 0];
  let force: Triple = [0, 0, 0];
  const load = loading(view, (hand) => app.send({ do: "push", hand, body, point, force }));
  return {
    down(_, pick) {
      if (!pick) return false;
      body = pick.name;
      point = pick.local;
      start = pick.world;
      force = [0, 0, 0];
      load.begin();
      return true;
    },
    move(p) {
      if (!load.hand) return;
      const to = view.facingPoint(p.x, p.y, start);
      const k = app.cap / (WHOLE * view.pixel(start));
      force = [0, 1, 2].map((i) => (to[i] - start[i]) * k) as Triple;
      load.changed();
    },
    up(p) {
      load.end(p.alt);
    },
    cancel: () => load.end(false),
    second: () => load.end(true),
    key(e, down) {
      if (!down || !load.hand || e.key.toLowerCase() !== "p") return false;
      load.end(true);
      return true;
    },
  };
}

export function twistTool(view: View): PointerTool {
  const { app } = view;
  let body = "";
  let centre = { x: 0, y: 0 };
  let axis = new Vector3(0, 0, 1);
  let angle: number | null = null;
  let turned = 0;
  let torque: Triple = [0, 0, 0];
  const load = loading(view, (hand) => app.send({ do: "twist", hand, body, torque }));

  /** The axis to turn about, towards the camera, and the point on the screen to turn round. */
  function about(number: number, world: Triple): [Vector3, Triple] {
    const away = view.camera.eye.getWorldDirection(new Vector3());
    const { selection, picture } = app;
    const joint = selection?.kind === "joint" ? picture?.joints.find((j) => j.name === selection.name) : undefined;
    if (joint && (joint.a === number || joint.b === number)) {
      const [x, y, z, w] = joint.on_b.turn;
      const z3: Triple = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
      const along = view.poses.turn(joint.b, z3).normalize();
      if (along.dot(away) > 0) along.negate();
      return [along, triple(view.poses.toWorld(joint.b, joint.on_b.at))];
    }
    return [away.negate(), world];
  }

  return {
    down(p, pick) {
      if (!pick) return false;
      body = pick.name;
      let middle: Triple;
      [axis, middle] = about(pick.body, pick.world);
      const q = view.project(middle);
      centre = q.visible ? q : p;
      angle = null;
      turned = 0;
      torque = [0, 0, 0];
      load.begin();
      return true;
    },
    move(p) {
      if (!load.hand) return;
      const [dx, dy] = [p.x - centre.x, centre.y - p.y];
      if (Math.hypot(dx, dy) < 12) return; // too near to tell a direction
      const next = Math.atan2(dy, dx);
      if (angle !== null) turned += Math.atan2(Math.sin(next - angle), Math.cos(next - angle));
      angle = next;
      const most = app.cap * 0.05 * view.size;
      torque = triple(axis.clone().multiplyScalar((turned / (Math.PI / 2)) * most));
      load.changed();
    },
    up(p) {
      load.end(p.alt);
    },
    cancel: () => load.end(false),
    second: () => load.end(true),
    key(e, down) {
      if (!down || !load.hand || e.key.toLowerCase() !== "p") return false;
      load.end(true);
      return true;
    },
  };
}
