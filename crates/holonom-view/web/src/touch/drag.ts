// Dragging: a hand takes hold of the body at the point pressed and pulls it towards the pointer, with no more than the cap.
//
// The target moves in the plane through the point that faces the camera; with Shift up and down and into the depth instead of sideways. The wheel brings it nearer or farther. P, the second
// button or a double click leave the hand where it is, as a pin. A click takes no hold: only a press that lasts or moves does, so that selecting a body does not brake it.

import { Vector3 } from "three";
import type { Triple } from "../protocol";
import type { BodyPick, View } from "../view";
import { KeepAlive, nextHand, Wakefulness, type Pointer, type PointerTool } from "./tool";

const HOLD = 180; // ms: a shorter press is a click
const SLIP = 3; // pixels: a press that moves farther is a drag

export function dragTool(view: View): PointerTool {
  const { app } = view;
  let hand = 0;
  let to: Triple = [0, 0, 0];
  let at: Pointer | null = null;
  let shift: { y: number; from: Triple } | null = null;
  const alive = new KeepAlive((doubtful) => {
    if (!hand) return;
    // the button is still down: what was lost to a busy moment is taken hold of again
    if (doubtful && !app.frame?.hands.some((h) => h.client === app.client && h.hand === hand)) app.send({ do: "grab", hand, body: held, point, cap: app.cap });
    app.send({ do: "move", hand, to });
  });
  app.on("touch", () => {
    if (hand) app.send({ do: "cap", hand, cap: app.cap });
  });
  // without a connection there is no hand
  app.on("connection", (c) => {
    if (c !== "open") forget();
  });
  app.on("picture", (p) => {
    if (hand && !p.bodies.some((b) => b.name === held)) forget();
  });
  const awake = new Wakefulness(app);
  let held = "";
  let point: Triple = [0, 0, 0];
  let pressed: { body: BodyPick; p: Pointer; timer: number } | null = null;

  function forget(): void {
    clearTimeout(pressed?.timer);
    pressed = null;
    alive.stop();
    awake.end();
    hand = 0;
    held = "";
    view.marks.own = null;
    view.invalidate();
  }

  function aim(next: Triple): void {
    to = next;
    view.marks.own = { hand, to };
    alive.soon();
    view.invalidate();
  }

  function take(body: BodyPick, p: Pointer): void {
    clearTimeout(pressed?.timer);
    pressed = null;
    hand = nextHand();
    held = body.name;
    point = body.local;
    // the point may have moved since it was pressed
    const now = view.poses.toWorld(body.body, body.local);
    to = view.facingPoint(p.x, p.y, [now.x, now.y, now.z]);
    at = p;
    shift = null;
    app.send({ do: "grab", hand, body: body.name, point: body.local, cap: app.cap });
    app.send({ do: "move", hand, to });
    view.marks.own = { hand, to };
    awake.begin();
    alive.start();
  }

  function pin(): void {
    if (!hand) return;
    app.send({ do: "move", hand, to });
    app.send({ do: "pin", hand });
    forget();
  }

  return {
    down(p, body) {
      if (!body) return false;
      pressed = { body, p, timer: window.setTimeout(() => take(body, p), HOLD) };
      return true;
    },
    move(p) {
      if (pressed) {
        if (Math.hypot(p.x - pressed.p.x, p.y - pressed.p.y) < SLIP) return;
        take(pressed.body, p);
      }
      if (!hand) return;
      at = p;
      if (p.shift) {
        // up and down on the screen is into the depth: along the view, level
        shift ??= { y: p.y, from: to };
        const away = view.camera.eye.getWorldDirection(new Vector3());
        away.z = 0;
        if (away.length() < 0.1) away.set(0, 0, -1);
        away.normalize().multiplyScalar((shift.y - p.y) * view.pixel(shift.from));
        aim([shift.from[0] + away.x, shift.from[1] + away.y, shift.from[2] + away.z]);
      } else {
        shift = null;
        aim(view.facingPoint(p.x, p.y, to));
      }
    },
    up() {
      if (hand) app.send({ do: "release", hand });
      forget();
    },
    cancel() {
      if (hand) app.send({ do: "release", hand });
      forget();
    },
    wheel(steps) {
      if (!hand || !at) return false;
      const eye = view.camera.eye.position;
      const arm = new Vector3(...to).sub(eye).multiplyScalar(Math.exp(-0.04 * steps)).add(eye);
      aim([arm.x, arm.y, arm.z]);
      return true;
    },
    key(e, down) {
      if (!down || !hand || e.key.toLowerCase() !== "p") return false;
      pin();
      return true;
    },
    second: pin,
    twice(p, body) {
      if (!body) return false;
      take(body, p);
      pin();
      return true;
    },
  };
}
