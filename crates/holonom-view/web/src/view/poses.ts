// Where the bodies are: one affine map each, body frame to world, from the newest frame. Body -1 is the ground.
//
// Layout: 12 numbers a body, the columns x, y, z of the matrix and the origin.

import { Vector3 } from "three";
import type { Frame } from "../frame";
import type { Picture, PlacedFrame, Triple } from "../protocol";

/** The map of the ground: the world's own axes. */
export const GROUND = new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);

/** Writes the map of a frame with origin (x, y, z) and quaternion (i, j, k, w) at `o` of `out`. */
export function writeFrame(
  out: Float32Array,
  o: number,
  x: number,
  y: number,
  z: number,
  i: number,
  j: number,
  k: number,
  w: number,
): void {
  const n = i * i + j * j + k * k + w * w;
  const s = n > 0 ? 2 / n : 0; // also takes quaternions that are not quite of unit length; NaN and 0 give no rotation
  const xx = i * i * s, yy = j * j * s, zz = k * k * s;
  const xy = i * j * s, xz = i * k * s, yz = j * k * s;
  const wx = w * i * s, wy = w * j * s, wz = w * k * s;
  if (s > 0) {
    out[o] = 1 - (yy + zz);
    out[o + 1] = xy + wz;
    out[o + 2] = xz - wy;
    out[o + 3] = xy - wz;
    out[o + 4] = 1 - (xx + zz);
    out[o + 5] = yz + wx;
    out[o + 6] = xz + wy;
    out[o + 7] = yz - wx;
    out[o + 8] = 1 - (xx + yy);
  } else {
    out.set(GROUND.subarray(0, 9), o);
  }
  out[o + 9] = x;
  out[o + 10] = y;
  out[o + 11] = z;
}

/** out[o..] = a[p..] after b[q..], all maps of 12 numbers. */
export function compose(out: Float32Array, o: number, a: Float32Array, p: number, b: Float32Array, q: number): void {
  for (let c = 0; c < 12; c += 3) {
    const x = b[q + c], y = b[q + c + 1], z = b[q + c + 2];
    const t = c === 9 ? 1 : 0;
    out[o + c] = a[p] * x + a[p + 3] * y + a[p + 6] * z + t * a[p + 9];
    out[o + c + 1] = a[p + 1] * x + a[p + 4] * y + a[p + 7] * z + t * a[p + 10];
    out[o + c + 2] = a[p + 2] * x + a[p + 5] * y + a[p + 8] * z + t * a[p + 11];
  }
}

/** The map of a placed frame. */
export function placedMap(placed: PlacedFrame): Float32Array {
  const out = new Float32Array(12);
  const [x, y, z] = placed.at;
  const [i, j, k, w] = placed.turn;
  writeFrame(out, 0, x, y, z, i, j, k, w);
  return out;
}

export class Poses {
  maps = new Float32Array(0);
  bodies = 0;
  /** Has a frame of this picture come? */
  known = false;
  private deforming: number[] = [];

  reset(picture: Picture): void {
    this.bodies = picture.bodies.length;
    this.deforming = picture.deforming;
    this.maps = new Float32Array(12 * this.bodies);
    for (let b = 0; b < this.bodies; b++) this.maps.set(GROUND, 12 * b);
    this.known = false;
  }

  update(frame: Frame): void {
    const poses = frame.parts.poses;
    if (!poses || poses.width < 7) return;
    const n = Math.min(this.bodies, poses.count);
    const d = poses.data;
    for (let b = 0; b < n; b++) {
      const p = b * poses.width;
      if (!Number.isFinite(d[p] + d[p + 1] + d[p + 2])) continue; // keeps the last place known
      writeFrame(this.maps, 12 * b, d[p], d[p + 1], d[p + 2], d[p + 3], d[p + 4], d[p + 5], d[p + 6]);
    }
    const shears = frame.parts.shears;
    if (shears) {
      const count = Math.min(shears.count, this.deforming.length);
      for (let k = 0; k < count; k++) {
        const b = this.deforming[k];
        const columns = shears.data.subarray(9 * k, 9 * k + 9);
        if (b < this.bodies && columns.every(Number.isFinite)) this.maps.set(columns, 12 * b);
      }
    }
    this.known = true;
  }

  map(body: number): [Float32Array, number] {
    return body >= 0 && body < this.bodies ? [this.maps, 12 * body] : [GROUND, 0];
  }

  toWorld(body: number, [x, y, z]: Triple, out = new Vector3()): Vector3 {
    const [m, o] = this.map(body);
    return out.set(
      m[o] * x + m[o + 3] * y + m[o + 6] * z + m[o + 9],
      m[o + 1] * x + m[o + 4] * y + m[o + 7] * z + m[o + 10],
      m[o + 2] * x + m[o + 5] * y + m[o + 8] * z + m[o + 11],
    );
  }

  /** A direction of a body's axes in the world. */
  turn(body: number, [x, y, z]: Triple, out = new Vector3()): Vector3 {
    const [m, o] = this.map(body);
    return out.set(
      m[o] * x + m[o + 3] * y + m[o + 6] * z,
      m[o + 1] * x + m[o + 4] * y + m[o + 7] * z,
      m[o + 2] * x + m[o + 5] * y + m[o + 8] * z,
    );
  }

  /** A place of the world in the body's frame (also for bodies that shear: the inverse of the whole matrix). */
  toLocal(body: number, world: Vector3): Triple {
    const [m, o] = this.map(body);
    const [a, b, c] = [m[o], m[o + 3], m[o + 6]];
    const [d, e, f] = [m[o + 1], m[o + 4], m[o + 7]];
    const [g, h, i] = [m[o + 2], m[o + 5], m[o + 8]];
    const x = world.x - m[o + 9], y = world.y - m[o + 10], z = world.z - m[o + 11];
    const A = e * i - f * h, B = f * g - d * i, C = d * h - e * g;
    const det = a * A + b * B + c * C;
    if (!(Math.abs(det) > 1e-12)) return [x, y, z];
    return [
      (A * x + (c * h - b * i) * y + (b * f - c * e) * z) / det,
      (B * x + (a * i - c * g) * y + (c * d - a * f) * z) / det,
      (C * x + (b * g - a * h) * y + (a * e - b * d) * z) / det,
    ];
  }
}
