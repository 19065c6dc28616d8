// A camera that goes round what it looks at. z is up; azimuth 0 looks along +y ("front"), elevation is the height of the eye above the horizon.

import { MathUtils, PerspectiveCamera, Vector3 } from "three";
import type { Triple } from "../protocol";
import type { StandardView } from "./types";

const UP = new Vector3(0, 0, 1);
/** The angle of view that stands for none, degrees. */
const LENS = 0.25;
const STEEPEST = Math.PI / 2 - 1e-4;

interface Stance {
  target: Vector3;
  distance: number;
  azimuth: number;
  elevation: number;
}

export class OrbitCamera {
  readonly eye = new PerspectiveCamera(35, 1, 0.01, 1000);
  private stance: Stance = { target: new Vector3(), distance: 5, azimuth: -0.5, elevation: 0.4 };
  private going: { from: Stance; to: Stance; start: number; time: number } | null = null;
  /** Radius of the scene: sets how near and far one can be and see. */
  private extent = 1;
  private height = 1;
  /** Vertical angle of view with perspective, degrees. */
  private angle = 35;
  private flat = false;

  constructor(private changed: () => void) {
    this.eye.up.copy(UP);
    this.place();
  }

  get target(): Vector3 {
    return this.stance.target;
  }
  get distance(): number {
    return this.stance.distance * this.stretch;
  }
  /** Without perspective: from so far away that nothing is seen of it, through a lens that makes up for it. Everything that asks the camera is answered as ever. */
  get parallel(): boolean {
    return this.flat;
  }
  set parallel(on: boolean) {
    if (on === this.flat) return;
    this.flat = on;
    this.place();
  }
  /** How much farther away the eye is than the stance says. */
  private get stretch(): number {
    return this.flat ? Math.tan(MathUtils.degToRad(this.angle) / 2) / Math.tan(MathUtils.degToRad(LENS) / 2) : 1;
  }

  setExtent(radius: number): void {
    this.extent = Math.max(radius, 1e-6);
    this.place();
  }

  resize(width: number, height: number): void {
    this.height = Math.max(height, 1);
    this.eye.aspect = width / this.height;
    this.eye.updateProjectionMatrix();
    this.changed();
  }

  orbit(right: number, up: number): void {
    this.going = null;
    this.stance.azimuth -= right;
    this.stance.elevation = MathUtils.clamp(this.stance.elevation + up, -STEEPEST, STEEPEST);
    this.place();
  }

  /** Moves with what is looked at, by pixels. */
  pan(right: number, down: number): void {
    this.going = null;
    const k = this.pixelAt(this.distance);
    const x = new Vector3().setFromMatrixColumn(this.eye.matrixWorld, 0);
    const y = new Vector3().setFromMatrixColumn(this.eye.matrixWorld, 1);
    this.stance.target.addScaledVector(x, -right * k).addScaledVector(y, down * k);
    this.place();
  }

  /** Goes with something that has moved over the ground, wherever one looks from. */
  carry(x: number, y: number): void {
    for (const stance of [this.stance, this.going?.from, this.going?.to]) {
      if (stance) stance.target.set(stance.target.x + x, stance.target.y + y, stance.target.z);
    }
    this.place();
  }

  /** Comes nearer by a factor (less than 1) or goes away; `towards` stays where it is on the screen. */
  zoom(factor: number, towards?: Vector3): void {
    this.going = null;
    const s = this.stance;
    const distance = MathUtils.clamp(s.distance * factor, 1e-3 * this.extent, 40 * this.extent);
    if (towards) s.target.lerp(towards, MathUtils.clamp(1 - distance / s.distance, -1, 1));
    s.distance = distance;
    this.place();
  }

  /** Stands so that a box fills the view. */
  fit(min: Vector3, max: Vector3, animated: boolean, azimuth = this.stance.azimuth, elevation = this.stance.elevation): void {
    const target = min.clone().add(max).multiplyScalar(0.5);
    this.go({ target, distance: this.room(min, max, target, azimuth, elevation), azimuth, elevation }, animated);
  }

  /** How far away a box is seen as a whole, with a margin. */
  private room(min: Vector3, max: Vector3, target: Vector3, azimuth: number, elevation: number): number {
    const y = Math.tan(MathUtils.degToRad(this.angle) / 2);
    const x = y * this.eye.aspect;
    // axes of the camera: right, up, back
    const [sa, ca, se, ce] = [Math.sin(azimuth), Math.cos(azimuth), Math.sin(elevation), Math.cos(elevation)];
    const right = new Vector3(ca, sa, 0);
    const up = new Vector3(-se * sa, se * ca, ce);
    const back = new Vector3(ce * sa, -ce * ca, se);
    let distance = Math.max(0.3 * min.distanceTo(max), 1e-6);
    for (let corner = 0; corner < 8; corner++) {
      const p = new Vector3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z).sub(target);
      distance = Math.max(distance, p.dot(back) + 1.22 * Math.max(Math.abs(p.dot(right)) / x, Math.abs(p.dot(up)) / y));
    }
    return distance;
  }

  /** Comes nearer where a box takes up little of the view; in a view that is higher than wide, goes back until it is seen as a whole: cameras of scenes are meant for wide ones. */
  approach(min: Vector3, max: Vector3): void {
    const { target, azimuth, elevation } = this.stance;
    const upright = this.eye.aspect < 1.15;
    const aim = upright ? min.clone().add(max).multiplyScalar(0.5) : target;
    const room = this.room(min, max, aim, azimuth, elevation);
    if (upright) this.stance = { ...this.stance, target: aim, distance: 0.92 * room };
    else this.stance.distance = Math.min(this.stance.distance, 1.18 * room);
    this.place();
  }

  look(from: StandardView, animated: boolean): void {
    const stands: Record<StandardView, [number, number]> = {
      front: [0, 0],
      right: [Math.PI / 2, 0],
      top: [0, STEEPEST],
      home: [-0.55, 0.42],
    };
    const [azimuth, elevation] = stands[from];
    this.go({ ...this.stance, target: this.stance.target.clone(), azimuth, elevation }, animated);
  }

  /** Stands at a place and looks at another; `angle` is the vertical angle of view, rad. */
  stand(from: Triple, at: Triple, angle: number | null, animated: boolean): void {
    const target = new Vector3(...at);
    const arm = new Vector3(...from).sub(target);
    const distance = arm.length();
    if (!(distance > 0)) return;
    if (angle && angle > 0.02 && angle < 3) this.angle = MathUtils.radToDeg(angle);
    const elevation = MathUtils.clamp(Math.asin(MathUtils.clamp(arm.z / distance, -1, 1)), -STEEPEST, STEEPEST);
    const azimuth = Math.hypot(arm.x, arm.y) > 1e-9 * distance ? Math.atan2(arm.x, -arm.y) : 0;
    this.go({ target, distance, azimuth, elevation }, animated);
  }

  /** Metres per pixel at a depth in front of the eye. */
  pixelAt(depth: number): number {
    return (2 * Math.tan(MathUtils.degToRad(this.eye.fov) / 2) * Math.max(depth, 1e-9)) / this.height;
  }

  /** May something of this size at this place be seen? */
  sees(at: Vector3, radius: number): boolean {
    const m = this.eye.matrixWorldInverse.elements;
    const z = -(m[2] * at.x + m[6] * at.y + m[10] * at.z + m[14]);
    if (z < -radius) return false;
    const y = Math.tan(MathUtils.degToRad(this.eye.fov) / 2) * z + 2 * radius;
    if (Math.abs(m[1] * at.x + m[5] * at.y + m[9] * at.z + m[13]) > y) return false;
    return Math.abs(m[0] * at.x + m[4] * at.y + m[8] * at.z + m[12]) <= y * this.eye.aspect + 2 * radius;
  }

  /** On its way: true as long as it has to be drawn again. */
  advance(now: number): boolean {
    const g = this.going;
    if (!g) return false;
    const t = Math.min(1, (now - g.start) / g.time);
    const s = t * t * (3 - 2 * t);
    this.stance = {
      target: g.from.target.clone().lerp(g.to.target, s),
      distance: g.from.distance * Math.pow(g.to.distance / g.from.distance, s),
      azimuth: MathUtils.lerp(g.from.azimuth, g.to.azimuth, s),
      elevation: MathUtils.lerp(g.from.elevation, g.to.elevation, s),
    };
    if (t >= 1) this.going = null;
    this.place();
    return this.going !== null;
  }

  private go(to: Stance, animated: boolean): void {
    if (!animated || matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.going = null;
      this.stance = to;
      this.place();
      return;
    }
    // the short way round
    const turn = Math.PI * 2;
    const from = { ...this.stance, target: this.stance.target.clone() };
    from.azimuth = to.azimuth + MathUtils.euclideanModulo(from.azimuth - to.azimuth + Math.PI, turn) - Math.PI;
    this.going = { from, to, start: performance.now(), time: 260 };
    this.changed();
  }

  private place(): void {
    const { target, azimuth, elevation } = this.stance;
    const { distance } = this;
    this.eye.fov = this.flat ? LENS : this.angle;
    const flat = Math.cos(elevation) * distance;
    this.eye.position.set(
      target.x + Math.sin(azimuth) * flat,
      target.y - Math.cos(azimuth) * flat,
      target.z + Math.sin(elevation) * distance,
    );
    this.eye.near = Math.max(distance * 0.01, 1e-4 * this.extent, distance - 40 * this.extent);
    this.eye.far = distance + 30 * this.extent;
    this.eye.lookAt(target);
    this.eye.updateProjectionMatrix();
    this.eye.updateMatrixWorld();
    this.changed();
  }
}
