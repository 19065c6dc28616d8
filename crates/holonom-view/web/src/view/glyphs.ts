// What joints look like: small solid signs about the joint's frame, z along its axis, about one unit in radius. Parts that belong to the first body are darker.
//
// Links (rods, ropes, springs, arrows' shafts) are unit length along z from the origin, radius 1: the scene scales them to their ends.

import { BoxGeometry, BufferAttribute, ConeGeometry, Curve, CylinderGeometry, SphereGeometry, TorusGeometry, TubeGeometry, Vector3 } from "three";
import type { BufferGeometry } from "three";
import type { DrawnGlyph } from "../protocol";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";

/** Glyphs of joints, and what is drawn beside them: toothed wheels, and marks of locked and broken joints. */
export type Sign = DrawnGlyph | "wheel" | "lock" | "broken";

type Part = [BufferGeometry, number];

const LIGHT = 1;
const DEEP = 0.62;

const up = (g: BufferGeometry) => g.rotateX(Math.PI / 2);
/** Less where there are hundreds of them. */
let detail = 1;
const turns = (round: number) => Math.max(5, Math.round(round * detail));
const rod = (radius: number, length: number, round = 16) => up(new CylinderGeometry(radius, radius, length, turns(round)));
const alongX = (g: BufferGeometry) => g.rotateY(Math.PI / 2);
const alongY = (g: BufferGeometry) => g.rotateX(Math.PI / 2);
const block = (x: number, y: number, z: number) => new BoxGeometry(x, y, z);
const ball = (radius: number) => up(new SphereGeometry(radius, turns(18), turns(12)));
const ring = (radius: number, tube: number, arc = Math.PI * 2) => new TorusGeometry(radius, tube, turns(8), turns((arc / Math.PI) * 18), arc);
const tip = (radius: number, height: number) => up(new ConeGeometry(radius, height, 14));

/** Three quarters of a turn with a head: something turns by itself. */
function arcArrow(radius: number, thick: number): BufferGeometry[] {
  const arc = Math.PI * 1.45;
  const head = new ConeGeometry(thick * 2.8, thick * 6.5, 12).translate(0, thick * 1.5, 0); // along +y: onward at angle 0
  return [ring(radius, thick, arc), head.translate(radius, 0, 0).rotateZ(arc)];
}

function parts(name: Sign): Part[] {
  switch (name) {
    case "hinge":
      return [[rod(0.5, 2), LIGHT], [ring(0.82, 0.2), DEEP]];
    case "ball":
      return [[ball(0.72), LIGHT], [up(new SphereGeometry(0.98, turns(18), turns(8), 0, Math.PI * 2, Math.PI * 0.52, Math.PI * 0.48)), DEEP], [ring(0.98, 0.1).translate(0, 0, -0.05), DEEP]];
    case "slider":
      return [[block(0.45, 0.45, 4.2), DEEP], [block(1.15, 1.15, 1.3), LIGHT]];
    case "sleeve":
      return [[rod(0.3, 4.2), DEEP], [rod(0.7, 1.3), LIGHT], [ring(0.7, 0.12).translate(0, 0, 0.65), DEEP], [ring(0.7, 0.12).translate(0, 0, -0.65), DEEP]];
    case "screw":
      return [[rod(0.3, 4.2), DEEP], ...[-3, -2, -1, 1, 2, 3].map((k): Part => [ring(0.36, 0.1).rotateX(0.25).translate(0, 0, k * 0.55), DEEP]), [rod(0.75, 0.8, 6), LIGHT]];
    case "cross":
      return [[alongX(rod(0.24, 2.1)), LIGHT], [alongY(rod(0.24, 2.1)), DEEP], [ball(0.42), LIGHT]];
    case "cross-in-ring":
      return [[alongX(rod(0.2, 2)), LIGHT], [alongY(rod(0.2, 2)), DEEP], [ring(1, 0.16), DEEP], [ball(0.5), LIGHT]];
    case "block":
      return [[block(1.15, 1.15, 1.15), LIGHT], [block(1.3, 1.3, 0.3), DEEP]];
    case "plate":
      return [[block(2.6, 2.6, 0.14), DEEP], [block(0.9, 0.9, 0.5).translate(0, 0, 0.3), LIGHT]];
    case "ball-on-plate":
      return [[block(2.6, 2.6, 0.14), DEEP], [ball(0.5).translate(0, 0, 0.3), LIGHT]];
    case "slot":
      return [[block(3, 1, 0.3), DEEP], [rod(0.4, 1.5), LIGHT]];
    case "ball-on-bar":
      return [[rod(0.16, 4.6, 10), DEEP], [ball(0.6), LIGHT]];
    case "ball-in-ring":
      return [[ball(0.5), LIGHT], [ring(0.95, 0.12), DEEP]];
    case "parallel-bars":
      return [[rod(0.2, 3).translate(0.45, 0, 0), LIGHT], [rod(0.2, 3).translate(-0.45, 0, 0), DEEP]];
    case "crossed-bars":
      return [[rod(0.2, 2.4), LIGHT], [alongX(rod(0.2, 2.4)), DEEP]];
    case "blade":
      return [[block(2.4, 0.14, 0.9).translate(0, 0, 0.45), LIGHT], [rod(0.3, 0.2), DEEP]];
    case "arrow":
      return arcArrow(1.5, 0.13).map((g): Part => [g, LIGHT]);
    case "stops":
      return [[ring(1.45, 0.1, Math.PI / 2).rotateZ(-Math.PI / 4), LIGHT], ...[-1, 1].map((s): Part => [block(0.6, 0.16, 0.5).translate(1.45, 0, 0).rotateZ((s * Math.PI) / 4), DEEP])];
    case "cone":
      return [[up(new ConeGeometry(1.1, 2.2, 20, 1, true)).rotateX(Math.PI).translate(0, 0, 1.1), LIGHT]];
    case "pads":
      return [-1, 1].map((s): Part => [block(0.34, 1.1, 0.7).translate(s * 1.1, 0, 0), DEEP]);
    case "wheel": {
      const teeth = Array.from({ length: 10 }, (_, k): Part => [block(0.36, 0.3, 0.5).translate(1.08, 0, 0).rotateZ((k * Math.PI) / 5), DEEP]);
      return [[rod(0.95, 0.5, 24), LIGHT], ...teeth];
    }
    case "lock":
      return [[block(0.9, 0.5, 0.75), LIGHT], [ring(0.3, 0.09, Math.PI).rotateX(Math.PI / 2).translate(0, 0, 0.36), DEEP]];
    case "broken":
      return [block(3, 0.34, 0.34).rotateY(Math.PI / 4), block(3, 0.34, 0.34).rotateY(-Math.PI / 4)].map((g): Part => [g, LIGHT]);
    default:
      return [[up(new SphereGeometry(0.85, 4, 2)), LIGHT]];
  }
}

function merged(list: Part[]): BufferGeometry {
  const ready = list.map(([g, shade]) => {
    const flat = g.index ? g.toNonIndexed() : g;
    flat.deleteAttribute("uv");
    const n = flat.getAttribute("position").count;
    flat.setAttribute("color", new BufferAttribute(new Float32Array(3 * n).fill(shade), 3));
    return flat;
  });
  return mergeGeometries(ready) ?? ready[0];
}

const glyphs = new Map<string, BufferGeometry>();

/** The sign of a name, for scenes with so many joints: with all its parts, with fewer corners, or its first part alone. */
export function glyphGeometry(name: Sign, joints: number): BufferGeometry {
  const tier = joints > 250 ? 2 : joints > 20 ? 1 : 0;
  const key = `${name} ${tier}`;
  let g = glyphs.get(key);
  if (!g) {
    detail = [1, 0.5, 0.35][tier];
    const all = parts(name);
    glyphs.set(key, (g = merged(tier === 2 ? all.slice(0, 1) : all)));
    detail = 1;
  }
  return g;
}

/** Length of a spring in its radii, as its wire is round at. */
const SPRING = 11;

class Helix extends Curve<Vector3> {
  constructor() {
    super();
  }
  override getPoint(t: number, out = new Vector3()): Vector3 {
    // straight ends, then the coil
    const coil = Math.min(1, Math.max(0, (t - 0.08) / 0.84));
    const r = 0.78 * Math.min(1, 12 * Math.min(t, 1 - t));
    const a = coil * Math.PI * 2 * 9;
    return out.set(r * Math.cos(a), r * Math.sin(a), SPRING * t);
  }
}

export type LinkForm = "rod" | "dashed" | "spring" | "head";

function linkParts(form: LinkForm): Part[] {
  const along = (radius: number, from: number, to: number, round = 8): BufferGeometry => rod(radius, to - from, round).translate(0, 0, (from + to) / 2);
  switch (form) {
    case "rod":
      return [[along(1, 0, 1, 10), LIGHT]];
    case "dashed":
      return Array.from({ length: 11 }, (_, k): Part => [along(1, (k + 0.08) / 11, (k + 0.66) / 11), LIGHT]);
    case "spring":
      return [[new TubeGeometry(new Helix(), 220, 0.15, 5).scale(1, 1, 1 / SPRING), LIGHT]];
    case "head":
      return [[tip(1, 1).translate(0, 0, 0.5), LIGHT]];
  }
}

const links = new Map<LinkForm, BufferGeometry>();

export function linkGeometry(form: LinkForm): BufferGeometry {
  let g = links.get(form);
  if (!g) links.set(form, (g = merged(linkParts(form))));
  return g;
}
