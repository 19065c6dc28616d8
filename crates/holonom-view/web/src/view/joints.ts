// Joints and force laws, drawn as what they are: signs in the joint's frame, rods, ropes, springs and dashed links between points.
//
// What holds two points apart or together (rods, ropes, springs) is always seen. Signs are where somebody asks for them: under the pointer, of what is selected or pointed out, while building, or all
// of them by choice; and those that hang a mechanism up on nothing, which would seem to float. Signs keep their size on the screen within bounds that suit the bodies. Where a body hides one it
// shines through faintly.

import { Color, Object3D, Vector3 } from "three";
import type { Material } from "three";
import type { App } from "../app";
import type { DrawnGlyph, JointPicture, Picture, Triple } from "../protocol";
import { Batch } from "./batch";
import { glyphGeometry, linkGeometry, type LinkForm, type Sign } from "./glyphs";
import { placedMap, type Poses } from "./poses";
import type { OrbitCamera } from "./camera";
import type { Palette } from "./theme";

/** How a glyph that is a line between two points is drawn. */
interface Line {
  form: LinkForm;
  /** Thickness, as a part of the radius of signs. */
  thick: number;
  /** Signs on its first and second end. */
  ends: [Sign | null, Sign];
  /** Does it sag where it is shorter between its ends than it has been? */
  sags?: boolean;
}
const ROD = 0.24;
const CORD = 0.16;
const LINES: Partial<Record<DrawnGlyph, Line>> = {
  rod: { form: "rod", thick: ROD, ends: ["ball", "ball"] },
  rope: { form: "rod", thick: CORD, ends: ["ball", "ball"], sags: true },
  tackle: { form: "rod", thick: CORD, ends: ["ball", "ball"] },
  drum: { form: "rod", thick: CORD, ends: [null, "wheel"] },
  wheels: { form: "dashed", thick: ROD, ends: ["wheel", "wheel"] },
  dashes: { form: "dashed", thick: ROD, ends: ["ball", "ball"] },
};
/** Signs that go round another joint's sign. */
const AROUND = new Set<DrawnGlyph>(["arrow", "stops", "pads"]);

export class Joints {
  readonly group = new Object3D();
  /** Radius of a sign at its natural size, m. */
  base = 0.05;
  /** Place of each joint in the world, as drawn last; NaN where it is not drawn. */
  places: Vector3[] = [];
  /** Ends of each force law, as drawn last. */
  spans: [Vector3, Vector3][] = [];
  private picture: Picture | null = null;
  private frames: { joint: JointPicture; map: Float32Array; other: Float32Array; line: Line | null; least: number }[] = [];
  private lengths: number[] = [];
  private signs = new Map<Sign, Batch>();
  private links = new Map<LinkForm, Batch>();

  constructor(
    private app: App,
    private solid: Material,
    private veil: Material,
  ) {}

  /** `thin` is the thickness (half of it) of each body where it is thinnest. */
  reset(picture: Picture, base: number, thin: Float32Array): void {
    this.picture = picture;
    this.base = base;
    for (const batch of [...this.signs.values(), ...this.links.values()]) batch.dispose();
    this.signs.clear();
    this.links.clear();
    this.frames = picture.joints.map((joint) => ({
      joint,
      map: placedMap(joint.on_b),
      other: placedMap(joint.on_a),
      line: LINES[joint.glyph] ?? null,
      // large enough to stand out of the bodies it joins
      least: Math.min(base, Math.max(0.3 * base, 1.3 * (thin[joint.a] ?? 0), 1.3 * (thin[joint.b] ?? 0))),
    }));
    this.lengths = [];
    this.afloat = picture.joints.length < 60 && picture.ground.every((shape) => picture.geometries[shape.geometry]?.kind === "plane");
    this.places = picture.joints.map(() => new Vector3(NaN, NaN, NaN));
    this.spans = picture.forces.map(() => [new Vector3(NaN, NaN, NaN), new Vector3(NaN, NaN, NaN)]);
  }

  private sign(name: Sign): Batch {
    let batch = this.signs.get(name);
    if (!batch) {
      const many = this.picture?.joints.length ?? 0;
      batch = new Batch(this.group, glyphGeometry(name, many), this.solid, many > 1000 ? null : this.veil);
      batch.begin();
      this.signs.set(name, batch);
    }
    return batch;
  }

  private link(form: LinkForm): Batch {
    let batch = this.links.get(form);
    if (!batch) {
      batch = new Batch(this.group, linkGeometry(form), this.solid);
      batch.begin();
      this.links.set(form, batch);
    }
    return batch;
  }

  private colour(joint: JointPicture, palette: Palette, number: number): Color {
    if (number === this.hovered) return palette.accent;
    if (this.chosen === joint.name) return palette.accent;
    if (this.pointedOut.size > 0 && this.pointedOut.has(joint.name)) return palette.warn;
    if (joint.condition === "broken") return palette.broken;
    if (this.app.shown.structure) return palette[joint.role];
    if (joint.drive || AROUND.has(joint.glyph)) return joint.drive ? palette.drive : palette.inequality;
    return palette.joint;
  }

  /** Number of the joint under the pointer, -1 if none. */
  hovered = -1;
  /** Number of the force under the pointer, -1 if none. */
  hoveredForce = -1;

  /** Are all signs wanted? */
  private all = false;
  /** Do joints to the ground have nothing that can be seen to hold on to? */
  private afloat = false;
  private chosen = "";
  private pointedOut = new Set<string>();

  update(poses: Poses, camera: OrbitCamera, palette: Palette): void {
    for (const batch of this.signs.values()) batch.begin();
    for (const batch of this.links.values()) batch.begin();
    const { picture } = this;
    const { selection, highlight } = this.app;
    this.chosen = selection?.kind === "joint" ? selection.name : "";
    this.pointedOut = new Set(highlight.filter((path) => path.startsWith("joint.")).map((path) => path.slice(6)));
    this.all = this.app.shown.joints || this.app.shown.structure || this.app.tool === "build";
    if (picture) {
      this.frames.forEach((_, k) => this.drawJoint(k, poses, camera, palette));
      picture.forces.forEach((_, k) => this.drawForce(k, poses, camera, palette));
    }
    for (const batch of this.signs.values()) batch.end();
    for (const batch of this.links.values()) batch.end();
  }

  /** Radius of a sign at a place: 9 pixels, within what suits the bodies. */
  private radius(at: Vector3, camera: OrbitCamera, least: number): number {
    const pixel = camera.pixelAt(depth(at, camera));
    return Math.min(1.4 * this.base, Math.max(least, 9 * pixel));
  }

  /** Is the sign of a joint to be seen? */
  private shows(k: number, joint: JointPicture): boolean {
    if (this.all || k === this.hovered || joint.name === this.chosen || this.pointedOut.has(joint.name) || joint.condition !== "active") return true;
    return this.afloat && !joint.drive && !AROUND.has(joint.glyph) && (joint.a < 0 || joint.b < 0);
  }

  private drawJoint(k: number, poses: Poses, camera: OrbitCamera, palette: Palette): void {
    const { joint, map, other, line, least } = this.frames[k];
    const at = poses.toWorld(joint.b, [map[9], map[10], map[11]], this.places[k]);
    let r = this.radius(at, camera, least);
    // not what is outside the view, nor specks
    if (!line && (!camera.sees(at, 3 * r) || r < 1.3 * camera.pixelAt(depth(at, camera)))) {
      at.set(NaN, NaN, NaN);
      return;
    }
    const colour = this.colour(joint, palette, k);
    if (line) {
      const from = poses.toWorld(joint.a, joint.on_a.at, new Vector3());
      const length = from.distanceTo(at);
      if (length > 0.02 * r) {
        if (line.sags && this.slack(k, length)) this.drawSlack(from, at, line.thick * r, colour, length, this.lengths[k]);
        else this.link(line.form).link(from, at, line.thick * r, colour);
      }
      const end = (sign: Sign | null, body: number, map: Float32Array, at: Vector3): void => {
        if (sign) this.place(sign, body, map, at, r * (sign === "wheel" ? 0.8 : 0.5), colour, poses);
      };
      end(line.ends[1], joint.b, map, at);
      end(line.ends[0], joint.a, other, from);
      at.lerp(from, 0.5);
    } else if (this.shows(k, joint)) {
      this.place(joint.glyph, joint.b, map, at, r, colour, poses);
    }
    if (joint.condition === "broken") {
      this.facing("broken", at, r, palette.redundant, camera);
    } else if (joint.condition === "locked") {
      r *= 0.9;
      const beside = new Vector3().setFromMatrixColumn(camera.eye.matrixWorld, 0).multiplyScalar(1.9 * r);
      this.facing("lock", beside.add(at), r, palette.warn, camera);
    }
  }

  private axes = [new Vector3(), new Vector3(), new Vector3()];

  /** A sign in a frame of a body. */
  private place(name: Sign, body: number, map: Float32Array, at: Vector3, r: number, colour: Color, poses: Poses): void {
    const axes = this.axes;
    for (let c = 0; c < 3; c++) poses.turn(body, [map[3 * c], map[3 * c + 1], map[3 * c + 2]], axes[c]).normalize().multiplyScalar(r);
    this.sign(name).add(axes[0], axes[1], axes[2], at, colour);
  }

  /** A sign that turns towards the camera, its z up the screen. */
  private facing(name: Sign, at: Vector3, r: number, colour: Color, camera: OrbitCamera): void {
    const m = camera.eye.matrixWorld;
    const [x, z, y] = [0, 1, 2].map((i) => new Vector3().setFromMatrixColumn(m, i).multiplyScalar(r));
    this.sign(name).add(x, y.negate(), z, at, colour);
  }

  /** Is it shorter between its ends than it has been? */
  private slack(k: number, length: number): boolean {
    this.lengths[k] = Math.max(this.lengths[k] ?? 0, length);
    return length < 0.995 * this.lengths[k];
  }

  /** A sagging line of the length that the rope has. */
  private drawSlack(from: Vector3, to: Vector3, r: number, colour: Color, length: number, whole: number): void {
    const sag = Math.sqrt(Math.max(0, (3 / 8) * length * (Math.min(whole, 1.6 * length) - length))); // a flat parabola

    let last = from;
    for (let i = 1; i <= 10; i++) {
      const t = i / 10;
      const next = new Vector3().lerpVectors(from, to, t);
      next.z -= 4 * sag * t * (1 - t);
      this.link("rod").link(last, next, r, colour);
      last = next;
    }
  }

  private drawForce(k: number, poses: Poses, camera: OrbitCamera, palette: Palette): void {
    const force = this.picture?.forces[k];
    if (!force || force.on.length < 2) return;
    const point = ([body, at]: [number, Triple], out: Vector3): Vector3 => poses.toWorld(body, at, out);
    const span = this.spans[k];
    const from = point(force.on[0], span[0]);
    const to = point(force.on[1], span[1]);
    const pointed = (this.app.selection?.kind === "force" && this.app.selection.name === force.name) || k === this.hoveredForce;
    const colour = pointed ? palette.accent : this.app.highlight.includes(`force.${force.name}`) ? palette.warn : palette.force;
    const r = this.radius(from, camera, 0.3 * this.base);
    const coil = force.glyph === "spring";
    const form: LinkForm = coil ? "spring" : "dashed";
    // a coil in proportion to its length, so that it reads as one
    const length = from.distanceTo(to);
    const thick = coil ? Math.min(Math.max(0.75 * r, 0.04 * length), 0.13 * length, 2.5 * this.base) : 0.16 * r;
    this.link(form).link(from, to, thick, colour);
    for (let i = 2; i < force.on.length; i++) this.link(form).link(point(force.on[i - 1], new Vector3()), point(force.on[i], new Vector3()), thick, colour);
  }
}

/** How far in front of the eye. */
export function depth(at: Vector3, camera: OrbitCamera): number {
  const m = camera.eye.matrixWorld.elements;
  return -(m[8] * (at.x - m[12]) + m[9] * (at.y - m[13]) + m[10] * (at.z - m[14]));
}
