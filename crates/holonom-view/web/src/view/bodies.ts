// The shapes of all bodies and of the ground: one draw call per class of forms. Also finds the body that a ray meets.

import { Color, Matrix4, Mesh, MeshBasicMaterial, Object3D, Ray, Vector3 } from "three";
import type { BufferGeometry, Intersection, Raycaster } from "three";
import type { Picture, PlacedFrame, ShapePicture } from "../protocol";
import { crowd, type Crowd } from "./crowd";
import { Edges, edgeMaterial, paintEdges } from "./edges";
import type { Materials } from "./materials";
import { fineness, form, type Form } from "./geometry";
import { compose, GROUND, placedMap, type Poses } from "./poses";
import type { Palette } from "./theme";

const HERE: PlacedFrame = { at: [0, 0, 0], turn: [0, 0, 0, 1] };

interface Item {
  body: number;
  form: Form;
  map: Float32Array;
  colour: Color | null;
}

/** A class of forms: instances that share triangles. */
interface Class {
  crowd: Crowd;
  edges: Edges | null;
  /** Triangles of one. */
  geometry: BufferGeometry;
  items: Item[];
  /** Maps of the items, one after the other. */
  maps: Float32Array;
  /** Half the extent of the thinnest of them, m. */
  thinnest: number;
}

export interface BodyHit {
  body: number;
  point: Vector3;
  distance: number;
}

export class Bodies {
  readonly group = new Object3D();
  /** Radius of each body about its origin, m. */
  reach = new Float32Array(0);
  /** Half the thickness of each body where it is thinnest, m. */
  thin = new Float32Array(0);
  private classes: Class[] = [];
  private byBody: [Class, number][][] = [];
  private scratch = new Float32Array(12);
  private probe = new Mesh(undefined, new MeshBasicMaterial());

  /** The same shapes again, thrown flat onto the floor along the light. */
  private thrown = new Object3D();

  private dark = edgeMaterial();

  constructor(private paints: Materials) {
    this.thrown.matrixAutoUpdate = false;
    this.group.add(this.thrown);
  }

  /** Where shadows fall: the floor's height, and the direction towards the light. */
  setFloor(floor: number, light: Vector3): void {
    const [a, b] = [light.x / light.z, light.y / light.z];
    this.thrown.matrix.set(1, 0, -a, a * floor, 0, 1, -b, b * floor, 0, 0, 0, floor, 0, 0, 0, 1);
    this.thrown.matrixWorldNeedsUpdate = true;
  }

  reset(picture: Picture, palette: Palette, dot: number): void {
    this.thrown.clear();
    for (const { crowd, edges, geometry } of this.classes) {
      this.group.remove(crowd.object);
      crowd.dispose();
      if (edges) this.group.remove(edges.object);
      edges?.dispose();
      geometry.dispose();
    }
    this.reach = new Float32Array(picture.bodies.length);
    this.thin = new Float32Array(picture.bodies.length).fill(Infinity);
    const items: Item[] = [];
    const add = (body: number, shape: ShapePicture): void => {
      const geometry = picture.geometries[shape.geometry];
      const f = geometry && form(geometry, shape.geometry, dot);
      if (!f || !Number.isFinite(f.radius)) return;
      const map = placedMap(shape.pose);
      for (let c = 0; c < 9; c++) map[c] *= f.scale[Math.floor(c / 3)];
      items.push({ body, form: f, map, colour: shape.colour && new Color().setRGB(...shape.colour, "srgb") });
      if (body < 0) return;
      this.reach[body] = Math.max(this.reach[body], Math.hypot(...shape.pose.at) + f.radius);
      this.thin[body] = Math.min(this.thin[body], f.thin);
    };
    picture.ground.forEach((shape) => add(-1, shape));
    picture.bodies.forEach((b, body) => {
      b.shapes.forEach((shape) => add(body, shape));
      if (b.shapes.length === 0) {
        const f = form({ kind: "point" }, -1, dot);
        if (!f) return;
        const map = placedMap({ ...HERE, at: b.centre });
        for (let c = 0; c < 9; c++) map[c] *= dot;
        items.push({ body, form: f, map, colour: null });
        this.reach[body] = Math.hypot(...b.centre) + dot;
      }
    });

    const byKey = new Map<string, Item[]>();
    for (const item of items) {
      const list = byKey.get(item.form.key);
      if (list) list.push(item);
      else byKey.set(item.form.key, [item]);
    }
    this.byBody = picture.bodies.map(() => []);
    this.classes = [...byKey.values()].map((list) => {
      const provoked = this.paints.box !== null && list[0].form.key === "box";
      const geometry = list[0].form.make({ ...fineness(list.length), provoked });
      const all = crowd(geometry, list.length, provoked, this.paints);
      const edges = items.length <= this.paints.mostEdged ? Edges.of(geometry, all.matrices, list.length, this.dark) : null;
      if (edges) this.group.add(edges.object);
      const made: Class = { crowd: all, edges, geometry, items: list, maps: new Float32Array(12 * list.length), thinnest: list.reduce((t, i) => Math.min(t, ...i.form.half), Infinity) };
      const { object, shadow } = made.crowd;
      object.frustumCulled = false; // they move; the graphics cut off what is not seen
      this.group.add(object);
      if (shadow) {
        shadow.frustumCulled = false;
        shadow.renderOrder = -8;
        this.thrown.add(shadow);
      }
      list.forEach((item, k) => {
        made.maps.set(item.map, 12 * k);
        if (item.body >= 0) this.byBody[item.body].push([made, k]);
      });
      return made;
    });
    this.paint(palette);
  }

  /** Colours of a theme. */
  paint(palette: Palette): void {
    paintEdges(this.dark, palette);
    for (const { crowd, items } of this.classes) {
      items.forEach(({ body, colour }, k) => {
        crowd.colour(k, colour ?? (body < 0 ? palette.fixed : palette.bodies[body % palette.bodies.length]));
      });
      crowd.coloured();
    }
  }

  /** Half the extent of the thinnest shape of all, m. */
  get thinnest(): number {
    return this.classes.reduce((t, c) => Math.min(t, c.thinnest), Infinity);
  }

  /** Brings shapes to where their bodies are; what is thinner than `least` (half of it, m) is drawn as thick as that, so that a wire is seen from afar. */
  update(poses: Poses, least: number): void {
    const t = this.scratch;
    for (const { crowd, edges, items, maps, thinnest } of this.classes) {
      const out = crowd.matrices;
      const widen = thinnest < least;
      for (let k = 0; k < items.length; k++) {
        const { body } = items[k];
        if (body < 0) compose(t, 0, GROUND, 0, maps, 12 * k);
        else compose(t, 0, poses.maps, 12 * body, maps, 12 * k);
        if (widen) {
          const { half } = items[k].form;
          for (let axis = 0; axis < 3; axis++) {
            const f = least / half[axis];
            if (!(f > 1 && f < Infinity)) continue;
            for (let i = 3 * axis; i < 3 * axis + 3; i++) t[i] *= f;
          }
        }
        const q = 16 * k;
        out[q] = t[0];
        out[q + 1] = t[1];
        out[q + 2] = t[2];
        out[q + 4] = t[3];
        out[q + 5] = t[4];
        out[q + 6] = t[5];
        out[q + 8] = t[6];
        out[q + 9] = t[7];
        out[q + 10] = t[8];
        out[q + 12] = t[9];
        out[q + 13] = t[10];
        out[q + 14] = t[11];
      }
      crowd.moved();
      edges?.moved();
    }
  }

  set shadows(on: boolean) {
    for (const { crowd } of this.classes) crowd.object.castShadow = crowd.object.receiveShadow = on && !this.paints.shade;
    this.thrown.visible = on;
  }

  /** Triangles and world matrices of a body's shapes, to be outlined. */
  parts(body: number): { geometry: BufferGeometry; matrix: Matrix4 }[] {
    return (this.byBody[body] ?? []).map(([{ crowd, geometry }, k]) => ({ geometry, matrix: new Matrix4().fromArray(crowd.matrices, 16 * k) }));
  }

  /** The nearest body that a ray meets; the ground's shapes hide what is behind them. */
  hit(caster: Raycaster): BodyHit | null {
    const ray: Ray = caster.ray;
    const centre = new Vector3();
    const hits: Intersection[] = [];
    let best: BodyHit | null = null;
    for (const { crowd, geometry, items } of this.classes) {
      const a = crowd.matrices;
      this.probe.geometry = geometry;
      for (let k = 0; k < items.length; k++) {
        const q = 16 * k;
        centre.set(a[q + 12], a[q + 13], a[q + 14]);
        const r = 1.001 * items[k].form.radius;
        if (ray.distanceSqToPoint(centre) > r * r) continue;
        if (best && centre.distanceTo(ray.origin) - r > best.distance) continue;
        this.probe.matrixWorld.fromArray(a, 16 * k);
        hits.length = 0;
        this.probe.raycast(caster, hits);
        for (const h of hits) {
          if (!best || h.distance < best.distance) best = { body: items[k].body, point: h.point.clone(), distance: h.distance };
        }
      }
    }
    return best && best.body >= 0 ? best : null;
  }

  /** Nothing is lower than this. */
  lowest(): number {
    let z = Infinity;
    for (const { crowd, items } of this.classes) for (let k = 0; k < items.length; k++) z = Math.min(z, crowd.matrices[16 * k + 14] - items[k].form.radius);
    return z;
  }

  /** The box about everything that moves or stands, or null where there is nothing. */
  bounds(picture: Picture, poses: Poses): { min: Vector3; max: Vector3 } | null {
    const min = new Vector3(Infinity, Infinity, Infinity);
    const max = new Vector3(-Infinity, -Infinity, -Infinity);
    const p = new Vector3();
    const grow = (r: number): void => {
      if (!Number.isFinite(p.x + p.y + p.z + r)) return;
      min.min(new Vector3(p.x - r, p.y - r, p.z - r));
      max.max(new Vector3(p.x + r, p.y + r, p.z + r));
    };
    for (const { crowd, geometry, items } of this.classes) {
      const a = crowd.matrices;
      if (!geometry.boundingBox) geometry.computeBoundingBox();
      const box = geometry.boundingBox;
      items.forEach((_, k) => {
        // the box about the turned box of the form
        const q = 16 * k;
        if (!box) return;
        const c = box.getCenter(new Vector3());
        const h = box.getSize(new Vector3()).multiplyScalar(0.5);
        const at = [0, 1, 2].map((i) => a[q + 12 + i] + a[q + i] * c.x + a[q + 4 + i] * c.y + a[q + 8 + i] * c.z);
        const half = [0, 1, 2].map((i) => Math.abs(a[q + i]) * h.x + Math.abs(a[q + 4 + i]) * h.y + Math.abs(a[q + 8 + i]) * h.z);
        if (![...at, ...half].every(Number.isFinite)) return;
        min.min(p.set(at[0] - half[0], at[1] - half[1], at[2] - half[2]));
        max.max(p.set(at[0] + half[0], at[1] + half[1], at[2] + half[2]));
      });
    }
    for (const j of picture.joints) {
      poses.toWorld(j.a, j.on_a.at, p);
      grow(0);
    }
    for (const g of picture.ground_points) {
      p.set(...g.at);
      grow(0);
    }
    return min.x <= max.x ? { min, max } : null;
  }
}
