// Where points have been: the centre of the selected body, of all bodies where there are few, and points that were chosen to be traced. Fading towards the past.

import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Object3D, Vector3 } from "three";
import type { App } from "../app";
import type { Frame } from "../frame";
import type { Picture, Triple } from "../protocol";
import type { Poses } from "./poses";
import type { Palette } from "./theme";

const LENGTH = 480; // points of a trail
const MOST = 50; // bodies that are traced without being chosen

interface Trail {
  body: number;
  local: Triple;
  /** Chosen by hand: stays whatever is switched. */
  chosen: boolean;
  points: Float32Array;
  /** Points written so far; the newest is at (written - 1) % LENGTH. */
  written: number;
}

export class Trails {
  readonly group = new Object3D();
  private lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private trails: Trail[] = [];
  private picture: Picture | null = null;
  private tick = -1;
  private name = "";

  constructor(private app: App) {
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
    this.lines.frustumCulled = false;
    this.group.add(this.lines);
  }

  reset(picture: Picture): void {
    // traced points outlive changes of the same scene, by the names of their bodies
    const kept = picture.name === this.name ? this.trails.filter((t) => t.chosen) : [];
    const names = kept.map((t) => this.picture?.bodies[t.body]?.name);
    this.picture = picture;
    this.name = picture.name;
    this.tick = -1;
    this.trails = kept.flatMap((t, k) => {
      const body = picture.bodies.findIndex((b) => b.name === names[k]);
      return body < 0 ? [] : [{ ...t, body, written: 0 }];
    });
  }

  /** Starts or stops tracing a point; says whether it is traced now. */
  toggle(body: number, local: Triple): boolean {
    const reach = 1e-3 + 0.03 * (this.picture?.size ?? 1);
    const k = this.trails.findIndex((t) => t.chosen && t.body === body && Math.hypot(...t.local.map((x, i) => x - local[i])) < reach);
    if (k >= 0) this.trails.splice(k, 1);
    else this.trails.push(begin(body, local, true));
    return k < 0;
  }

  get chosen(): { body: number; local: Triple }[] {
    return this.trails.filter((t) => t.chosen);
  }

  add(frame: Frame, poses: Poses): void {
    const { picture } = this;
    if (!picture || frame.tick === this.tick) return;
    // a jump: backwards, or more than a quarter of a second ahead while it does not run
    const jump = frame.tick < this.tick || frame.past || (this.tick >= 0 && (frame.tick - this.tick) * picture.tick > 1);
    this.tick = frame.tick;
    if (jump) for (const t of this.trails) t.written = 0;
    this.choose(picture);
    const p = new Vector3();
    for (const t of this.trails) {
      poses.toWorld(t.body, t.local, p);
      const o = 3 * (t.written % LENGTH);
      t.points[o] = p.x;
      t.points[o + 1] = p.y;
      t.points[o + 2] = p.z;
      t.written++;
    }
  }

  /** Makes the trails that are switched on, drops those that no longer are. */
  private choose(picture: Picture): void {
    const { selection, shown } = this.app;
    let wanted: number[] = [];
    if (shown.trails) {
      const selected = selection?.kind === "body" ? picture.bodies.findIndex((b) => b.name === selection.name) : -1;
      if (selected >= 0) wanted = [selected];
      else if (picture.bodies.length <= MOST) wanted = picture.bodies.map((_, k) => k);
    }
    const set = new Set(wanted);
    this.trails = this.trails.filter((t) => t.chosen || set.delete(t.body));
    for (const body of set) this.trails.push(begin(body, picture.bodies[body].centre, false));
  }

  update(palette: Palette): void {
    if (!this.app.shown.trails && !this.trails.some((t) => t.chosen)) {
      this.lines.visible = false;
      return;
    }
    const shown = this.trails.filter((t) => t.written > 1);
    const segments = shown.reduce((n, t) => n + Math.min(t.written, LENGTH) - 1, 0);
    this.lines.visible = segments > 0;
    if (segments === 0) return;
    let position = this.lines.geometry.getAttribute("position") as BufferAttribute | undefined;
    if (!position || position.count < 2 * segments) {
      const room = 2 * LENGTH * Math.max(shown.length, 1);
      this.lines.geometry.dispose();
      this.lines.geometry = new BufferGeometry();
      position = new BufferAttribute(new Float32Array(3 * room), 3);
      this.lines.geometry.setAttribute("position", position);
      this.lines.geometry.setAttribute("color", new BufferAttribute(new Float32Array(4 * room), 4));
    }
    const colour = this.lines.geometry.getAttribute("color") as BufferAttribute;
    const tint = new Color();
    let v = 0;
    for (const t of shown) {
      tint.copy(t.chosen ? palette.accent : palette.bodies[t.body % palette.bodies.length]);
      if (!t.chosen) tint.lerp(palette.accent, 0.35);
      const n = Math.min(t.written, LENGTH);
      for (let k = 1; k < n; k++) {
        for (const back of [0, 1]) {
          const age = k - back; // 0 is the newest
          const o = 3 * ((t.written - 1 - age) % LENGTH);
          position.setXYZ(v, t.points[o], t.points[o + 1], t.points[o + 2]);
          colour.setXYZW(v, tint.r, tint.g, tint.b, 1 - (0.92 * age) / (n - 1));
          v++;
        }
      }
    }
    position.needsUpdate = colour.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, v);
  }
}

function begin(body: number, local: Triple, chosen: boolean): Trail {
  return { body, local, chosen, points: new Float32Array(3 * LENGTH), written: 0 };
}
