// What the pointer points at, and the points one would join something at.

import { Plane, Raycaster, Vector2, Vector3 } from "three";
import type { GeometryPicture, Picture, Triple } from "../protocol";
import type { Bodies } from "./bodies";
import type { OrbitCamera } from "./camera";
import { depth, type Joints } from "./joints";
import { placedMap, type Poses } from "./poses";
import { triple, type BodyPick, type Pick, type Snap } from "./types";

type JointPick = Extract<Pick, { kind: "joint" }>;

/** How near to a joint the pointer must be, pixels. */
const RING = 20;
const ON_BODY = 12;

export class Picker {
  picture: Picture | null = null;
  private caster = new Raycaster();

  constructor(
    private canvas: HTMLCanvasElement,
    private camera: OrbitCamera,
    private bodies: Bodies,
    private joints: Joints,
    private poses: Poses,
  ) {}

  private aim(x: number, y: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const at = new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.caster.setFromCamera(at, this.camera.eye);
    return this.caster;
  }

  project(world: Vector3): { x: number; y: number; visible: boolean } {
    const box = this.canvas.getBoundingClientRect();
    const p = world.clone().project(this.camera.eye);
    return {
      x: box.left + ((p.x + 1) / 2) * box.width,
      y: box.top + ((1 - p.y) / 2) * box.height,
      visible: depth(world, this.camera) > this.camera.eye.near,
    };
  }

  body(x: number, y: number, slack = 0): BodyPick | null {
    let hit = this.bodies.hit(this.aim(x, y));
    // thin things: the nearest of what lies around the pointer
    for (let ring = 1; !hit && ring <= 2 && slack > 0; ring++) {
      for (let k = 0; k < 8; k++) {
        const r = (slack * ring) / 2;
        const other = this.bodies.hit(this.aim(x + r * Math.cos((k * Math.PI) / 4), y + r * Math.sin((k * Math.PI) / 4)));
        if (other && (!hit || other.distance < hit.distance)) hit = other;
      }
    }
    if (!hit) return null;
    const name = this.picture?.bodies[hit.body]?.name ?? "";
    return { kind: "body", body: hit.body, name, world: triple(hit.point), local: this.poses.toLocal(hit.body, hit.point), distance: hit.distance };
  }

  jointsNear(x: number, y: number, slack: number): JointPick[] {
    const found: { d: number; pick: JointPick }[] = [];
    this.joints.places.forEach((at, joint) => {
      if (Number.isNaN(at.x)) return;
      const p = this.project(at);
      const d = Math.hypot(p.x - x, p.y - y);
      if (p.visible && d <= slack) found.push({ d, pick: { kind: "joint", joint, name: this.picture?.joints[joint]?.name ?? "", world: triple(at) } });
    });
    return found.sort((a, b) => a.d - b.d || a.pick.joint - b.pick.joint).map((f) => f.pick);
  }

  force(x: number, y: number, slack: number): Pick | null {
    let best: Pick | null = null;
    let least = slack;
    this.joints.spans.forEach(([a, b], force) => {
      if (Number.isNaN(a.x)) return;
      const p = this.project(a), q = this.project(b);
      if (!p.visible || !q.visible) return;
      const [ux, uy] = [q.x - p.x, q.y - p.y];
      const t = Math.min(1, Math.max(0, ((x - p.x) * ux + (y - p.y) * uy) / Math.max(ux * ux + uy * uy, 1e-9)));
      const d = Math.hypot(x - p.x - t * ux, y - p.y - t * uy);
      if (d < least) {
        least = d;
        best = { kind: "force", force, name: this.picture?.forces[force]?.name ?? "", world: triple(a.clone().lerp(b, t)) };
      }
    });
    return best;
  }

  any(x: number, y: number, slack: number): Pick | null {
    const under = this.body(x, y);
    const body = under ?? this.body(x, y, slack);
    // beside bodies the whole ring around a joint is the joint; on a body its middle, so that the body can be hit too
    const joint = this.jointsNear(x, y, Math.max(under ? ON_BODY : RING, slack))[0];
    // unless a body is well in front of it
    if (joint && (!body || depth(new Vector3(...joint.world), this.camera) < body.distance + 3 * this.joints.base)) return joint;
    return body ?? this.force(x, y, Math.max(6, slack)) ?? null;
  }

  /** Where the pointer meets a plane. */
  onPlane(x: number, y: number, plane: Plane): Vector3 | null {
    return this.aim(x, y).ray.intersectPlane(plane, new Vector3());
  }

  facing(x: number, y: number, through: Vector3): Vector3 {
    const normal = this.camera.eye.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, through);
    return this.onPlane(x, y, plane) ?? through.clone();
  }

  /** The nearest point to join something at: named points first, then joints, then ends, corners and centres of shapes. */
  snap(x: number, y: number, within: number, leaveOut: number): Snap | null {
    const { picture } = this;
    if (!picture) return null;
    let best: Snap | null = null;
    let least = within;
    const offer = (body: number, point: Triple, label: string, named: string | null, joint: number | null, handicap: number): void => {
      if (body === leaveOut) return;
      const world = this.poses.toWorld(body, point);
      const p = this.project(world);
      const d = Math.hypot(p.x - x, p.y - y) + handicap;
      if (!p.visible || d >= least) return;
      least = d;
      best = { body, name: body < 0 ? "ground" : picture.bodies[body].name, label, named, point, world: triple(world), joint };
    };
    for (const p of picture.ground_points) offer(-1, p.at, `ground.${p.name}`, p.name, null, 0);
    // only bodies whose ball is under the pointer: scenes may have thousands
    const ray = this.aim(x, y).ray;
    const centre = new Vector3();
    picture.bodies.forEach((b, body) => {
      this.poses.toWorld(body, [0, 0, 0], centre);
      const r = this.bodies.reach[body] + 2 * within * this.camera.pixelAt(depth(centre, this.camera));
      if (ray.distanceSqToPoint(centre) > r * r) return;
      for (const p of b.points) offer(body, p.at, `${b.name}.${p.name}`, p.name, null, 0);
      offer(body, b.centre, `${b.name}, centre of mass`, null, null, 2);
      for (const shape of b.shapes) {
        const map = placedMap(shape.pose);
        for (const [q, what] of features(picture.geometries[shape.geometry])) {
          const at: Triple = [0, 1, 2].map((i) => map[i] * q[0] + map[3 + i] * q[1] + map[6 + i] * q[2] + map[9 + i]) as Triple;
          offer(body, at, `${b.name}, ${what}`, null, null, 3);
        }
      }
    });
    picture.joints.forEach((j, k) => {
      if (!Number.isNaN(this.joints.places[k]?.x ?? NaN)) offer(j.b, j.on_b.at, `at joint ${j.name}`, null, k, 1);
    });
    return best;
  }
}

/** Points of a shape that one would join at. */
function features(geometry: GeometryPicture | undefined): [Triple, string][] {
  if (!geometry) return [];
  const ends = (h: number): [Triple, string][] => [[[0, 0, -h], "end"], [[0, 0, h], "end"], [[0, 0, 0], "middle"]];
  switch (geometry.kind) {
    case "box": {
      const [a, b, c] = geometry.size.map((s) => s / 2);
      const faces: [Triple, string][] = [[a, 0, 0], [-a, 0, 0], [0, b, 0], [0, -b, 0], [0, 0, c], [0, 0, -c]].map((p) => [p as Triple, "face"]);
      const corners = [-a, a].flatMap((u) => [-b, b].flatMap((v) => [-c, c].map((w): [Triple, string] => [[u, v, w], "corner"])));
      return [...faces, ...corners];
    }
    case "cylinder":
    case "capsule":
    case "tube":
      return ends(geometry.length / 2);
    case "cone":
      return [[[0, 0, 0], "base"], [[0, 0, geometry.height], "tip"]];
    default:
      return [[[0, 0, 0], "centre"]];
  }
}
