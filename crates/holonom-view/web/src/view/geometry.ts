// Shapes as triangles. Boxes, balls, cylinders and cones of all sizes share one unit shape each, scaled by instance: a thousand different boxes are one draw call.
// Finer where there are few of them, coarser where there are thousands.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  ConeGeometry,
  CylinderGeometry,
  LatheGeometry,
  SphereGeometry,
  TorusGeometry,
  Vector2,
} from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { GeometryPicture, Triple } from "../protocol";

export interface Form {
  /** Forms of the same class share triangles. */
  key: string;
  /** From the shared triangles to the shape, along its axes. */
  scale: [number, number, number];
  /** Radius of the ball about the shape's origin that holds it, m. */
  radius: number;
  /** Half its thickness where it is thinnest, m. */
  thin: number;
  /** Half its extent along its own axes, m. */
  half: [number, number, number];
  make: (fine: Fineness) => BufferGeometry;
}

export interface Fineness {
  /** Segments around a full turn. */
  round: number;
  /** Boxes of eight corners, for a material that takes a face's normal from its last corner. */
  provoked?: boolean;
}

export function fineness(instances: number): Fineness {
  return { round: instances > 4000 ? 8 : instances > 800 ? 14 : instances > 200 ? 20 : instances > 40 ? 28 : 40 };
}

const up = <G extends BufferGeometry>(g: G): G => g.rotateX(Math.PI / 2) as G;
const ball = ({ round }: Fineness) => up(new SphereGeometry(1, round, Math.max(4, Math.round(round * 0.55))));

/** Corners of each face of a box, counterclockwise from outside (bits of a corner: x, y, z); the first lights the face, and no other. */
const FACES: [normal: [number, number, number], corners: [number, number, number, number]][] = [
  [[-1, 0, 0], [0, 4, 6, 2]],
  [[1, 0, 0], [1, 3, 7, 5]],
  [[0, -1, 0], [5, 4, 0, 1]],
  [[0, 1, 0], [2, 6, 7, 3]],
  [[0, 0, -1], [3, 1, 0, 2]],
  [[0, 0, 1], [4, 5, 7, 6]],
];

/** A unit box with a third of the usual corners: the last corner of a triangle carries the normal of its face. */
function eightCorners(): BufferGeometry {
  const positions = new Float32Array(24);
  for (let k = 0; k < 8; k++) for (let i = 0; i < 3; i++) positions[3 * k + i] = (k >> i) & 1 ? 0.5 : -0.5;
  const normals = new Float32Array(24);
  const index: number[] = [];
  for (const [normal, [p, a, b, c]] of FACES) {
    normals.set(normal, 3 * p);
    index.push(a, b, p, b, c, p);
  }
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(positions, 3));
  g.setAttribute("normal", new BufferAttribute(normals, 3));
  g.setIndex(index);
  return g;
}

function tube(inner: number, outer: number, length: number, { round }: Fineness): BufferGeometry {
  const h = length / 2;
  const profile = [
    [inner, -h],
    [outer, -h],
    [outer, h],
    [inner, h],
    [inner, -h],
  ].map(([r, z]) => new Vector2(r, z));
  return toCreasedNormals(up(new LatheGeometry(profile, round)), 0.6);
}

/** Triangles beyond which looking for sharp edges takes too long: a smooth surface then. */
const MOST_CREASED = 60_000;

function mesh(positions: ArrayLike<number>, triangles: ArrayLike<number>): BufferGeometry {
  const g = new BufferGeometry();
  g.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
  const corners = positions.length / 3;
  const index = Uint32Array.from(triangles).filter((i) => i < corners);
  g.setIndex(new BufferAttribute(index.subarray(0, index.length - (index.length % 3)), 1));
  if (index.length <= 3 * MOST_CREASED) return toCreasedNormals(g, 0.6);
  g.computeVertexNormals();
  return g;
}

/** How a geometry is drawn; null for planes, which the ground draws. `dot` is the radius of what has no shape. */
export function form(geometry: GeometryPicture, number: number, dot: number): Form | null {
  switch (geometry.kind) {
    case "box":
      return { key: "box", scale: geometry.size, radius: Math.hypot(...geometry.size) / 2, thin: Math.min(...geometry.size) / 2, half: geometry.size.map((x) => x / 2) as Triple, make: ({ provoked }) => (provoked ? eightCorners() : new BoxGeometry(1, 1, 1)) };
    case "sphere": {
      const r = geometry.radius;
      return { key: "ball", scale: [r, r, r], radius: r, thin: r / 4, half: [r, r, r], make: ball };
    }
    case "ellipsoid":
      return { key: "ball", scale: geometry.radii, radius: Math.max(...geometry.radii), thin: Math.min(...geometry.radii) / 2, half: geometry.radii, make: ball };
    case "cylinder": {
      const { radius: r, length } = geometry;
      const make = ({ round }: Fineness) => up(new CylinderGeometry(1, 1, 1, round));
      return { key: "cylinder", scale: [r, r, length], radius: Math.hypot(r, length / 2), thin: Math.min(r, length / 2), half: [r, r, length / 2], make };
    }
    case "cone": {
      const { radius: r, height } = geometry;
      const make = ({ round }: Fineness) => up(new ConeGeometry(1, 1, round)).translate(0, 0, 0.5);
      return { key: "cone", scale: [r, r, height], radius: Math.hypot(r, height), thin: r / 2, half: [r, r, height], make };
    }
    case "capsule": {
      const { radius: r, length } = geometry;
      // the caps scale with the radius and the middle with the length: only the ratio makes a class of its own
      const ratio = Math.round((length / r) * 100) / 100;
      const make = ({ round }: Fineness) => up(new CapsuleGeometry(1, length / r, Math.max(3, Math.round(round / 5)), round));
      return { key: `capsule ${ratio}`, scale: [r, r, r], radius: length / 2 + r, thin: r, half: [r, r, length / 2 + r], make };
    }
    case "tube": {
      const { inner, outer, length } = geometry;
      const radius = Math.hypot(outer, length / 2);
      return { key: `shape ${number}`, scale: [1, 1, 1], radius, thin: (outer - inner) / 2, half: [outer, outer, length / 2], make: (fine) => tube(inner, outer, length, fine) };
    }
    case "torus": {
      const { radius: r, tube: t } = geometry;
      const make = ({ round }: Fineness) => new TorusGeometry(r, t, Math.max(8, round >> 1), round);
      return { key: `shape ${number}`, scale: [1, 1, 1], radius: r + t, thin: t, half: [r + t, r + t, t], make };
    }
    case "mesh": {
      let square = 0;
      const p = geometry.positions;
      for (let i = 0; i + 2 < p.length; i += 3) square = Math.max(square, p[i] ** 2 + p[i + 1] ** 2 + p[i + 2] ** 2);
      const make = () => mesh(p, geometry.triangles);
      return { key: `shape ${number}`, scale: [1, 1, 1], radius: Math.sqrt(square), thin: 0, half: [Math.sqrt(square), Math.sqrt(square), Math.sqrt(square)], make };
    }
    case "point":
      return { key: "ball", scale: [dot, dot, dot], radius: dot, thin: dot / 4, half: [dot, dot, dot], make: ball };
    case "plane":
      return null;
  }
}
