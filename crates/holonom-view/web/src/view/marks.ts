// What is not part of the scene: hands and what they pull with, pins, the tool point, the point to snap to, ghosts of what is to be built.

import { Color, Mesh, MeshBasicMaterial, MeshLambertMaterial, Object3D, RingGeometry, SphereGeometry, Vector3 } from "three";
import type { Material } from "three";
import type { App } from "../app";
import type { GeometryPicture, HandNow, PlacedFrame, Triple } from "../protocol";
import { across, Batch } from "./batch";
import type { OrbitCamera } from "./camera";
import { form } from "./geometry";
import { linkGeometry } from "./glyphs";
import { depth } from "./joints";
import type { Label } from "./labels";
import type { Palette } from "./theme";
import { figure } from "./units";

/** What this page's own hand wants at this moment, ahead of what the program has heard. */
export interface OwnHand {
  hand: number;
  to: Triple | null;
}

export class Marks {
  readonly group = new Object3D();
  own: OwnHand | null = null;
  /** A point of a body that is marked, such as the tool that is jogged. */
  tool: { at: Vector3; text: string } | null = null;
  /** A place to snap to. */
  snap: { at: Vector3; text: string } | null = null;
  /** Lines of whoever builds: from, to. */
  line: [Vector3, Vector3] | null = null;
  private rods: Batch;
  private heads: Batch;
  private balls: Batch;
  private ring: Mesh<RingGeometry, MeshBasicMaterial>;
  private ghostMesh: Mesh | null = null;

  constructor(
    private app: App,
    overlay: Material,
  ) {
    this.rods = new Batch(this.group, linkGeometry("rod"), overlay);
    this.heads = new Batch(this.group, linkGeometry("head"), overlay);
    const ball = new SphereGeometry(1, 14, 10);
    ball.setAttribute("color", ball.getAttribute("position").clone()).getAttribute("color").array.fill(1);
    this.balls = new Batch(this.group, ball, overlay);
    this.ring = new Mesh(new RingGeometry(0.72, 1, 32), new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.95 }));
    this.ring.renderOrder = 60;
    this.ring.visible = false;
    this.group.add(this.ring);
  }

  ghost(geometry: GeometryPicture | null, pose?: PlacedFrame): void {
    if (this.ghostMesh) {
      this.group.remove(this.ghostMesh);
      this.ghostMesh.geometry.dispose();
      (this.ghostMesh.material as Material).dispose();
      this.ghostMesh = null;
    }
    const f = geometry && form(geometry, 0, 0.02);
    if (!f) return;
    const material = new MeshLambertMaterial({ color: 0x5aa6f5, transparent: true, opacity: 0.45, depthWrite: false });
    this.ghostMesh = new Mesh(f.make({ round: 28 }), material);
    this.ghostMesh.scale.set(...f.scale);
    if (pose) {
      this.ghostMesh.position.set(...pose.at);
      this.ghostMesh.quaternion.set(...pose.turn);
    }
    this.group.add(this.ghostMesh);
  }

  /** The pinned hand at a place on the screen, if there is one. */
  pinAt(x: number, y: number, project: (at: Triple) => { x: number; y: number; visible: boolean }, within = 12): HandNow | null {
    let best: HandNow | null = null;
    let least = within;
    for (const hand of this.app.frame?.hands ?? []) {
      if (!hand.pinned) continue;
      const p = project(hand.kind === "grab" ? hand.to : hand.at);
      const d = Math.hypot(p.x - x, p.y - y);
      if (p.visible && d < least) [best, least] = [hand, d];
    }
    return best;
  }

  /** Draws everything; gives the words that go with it. */
  update(camera: OrbitCamera, palette: Palette, size: number): Label[] {
    const labels: Label[] = [];
    for (const batch of [this.rods, this.heads, this.balls]) batch.begin();
    for (const hand of this.app.frame?.hands ?? []) this.drawHand(hand, camera, palette, size, labels);
    if (this.tool) {
      this.ball(this.tool.at, 5, palette.drive, camera);
      labels.push({ text: this.tool.text, at: this.tool.at, style: "v3-strong", always: true, offset: [12, -22] });
    }
    if (this.line) this.rods.link(this.line[0], this.line[1], 1.2 * camera.pixelAt(depth(this.line[1], camera)), palette.accent);
    this.ring.visible = this.snap !== null;
    if (this.snap) {
      this.ring.position.copy(this.snap.at);
      this.ring.quaternion.copy(camera.eye.quaternion);
      this.ring.scale.setScalar(9 * camera.pixelAt(depth(this.snap.at, camera)));
      this.ring.material.color.copy(palette.accent);
      labels.push({ text: this.snap.text, at: this.snap.at, style: "v3-strong", always: true, offset: [14, 6] });
    }
    for (const batch of [this.rods, this.heads, this.balls]) batch.end();
    return labels;
  }

  private ball(at: Vector3, pixels: number, colour: Color, camera: OrbitCamera): void {
    const r = pixels * camera.pixelAt(depth(at, camera));
    this.balls.add(new Vector3(r, 0, 0), new Vector3(0, r, 0), new Vector3(0, 0, r), at, colour);
  }

  private drawHand(hand: HandNow, camera: OrbitCamera, palette: Palette, size: number, labels: Label[]): void {
    const mine = hand.client === this.app.client;
    const at = new Vector3(...hand.at);
    const force = new Vector3(...hand.force);
    const amount = force.length();
    const pixel = camera.pixelAt(depth(at, camera));
    const full = hand.kind === "grab" && amount >= 0.98 * hand.cap && amount > 0;
    const colour = full ? palette.saturated : mine ? palette.hand : palette.torque;
    if (hand.kind === "grab") {
      const own = mine && this.own?.hand === hand.hand && this.own.to;
      const to = own ? new Vector3(...own) : new Vector3(...hand.to);
      this.rods.link(at, to, 1.1 * pixel, colour);
      this.ball(at, hand.pinned ? 3.5 : 4.5, colour, camera);
      if (hand.pinned) this.drawPin(to, colour, camera);
      else this.ball(to, 3.5, colour, camera);
      const text = `${figure(amount, "N")} of ${figure(hand.cap, "N")}`;
      if (mine || hand.pinned) labels.push({ text: hand.pinned ? `${figure(amount, "N")}` : text, at: to, style: full ? "v3-strong v3-hot" : "v3-strong", always: true, offset: [14, -26] });
      return;
    }
    const along = amount > 0 ? force.clone().divideScalar(amount) : new Vector3(0, 0, 1);
    // the same length as the pointer drew: the whole cap is 150 pixels
    const length = hand.kind === "push" ? (150 * pixel * amount) / Math.max(this.app.cap, 1e-9) : 0.25 * size;
    if (hand.kind === "push") {
      this.arrow(at, along, Math.min(length, 3 * size), 2 * pixel, colour);
      labels.push({ text: figure(amount, "N"), at: at.clone().addScaledVector(along, length), style: "v3-strong", always: true, offset: [10, -24] });
    } else if (amount > 0) {
      this.turnArrow(at, along, 46 * pixel, 2 * pixel, colour);
      labels.push({ text: figure(amount, "N m"), at, style: "v3-strong", always: true, offset: [50, -24] });
    }
    this.ball(at, 4, colour, camera);
    if (hand.pinned) this.drawPin(at, colour, camera);
  }

  private drawPin(at: Vector3, colour: Color, camera: OrbitCamera): void {
    const pixel = camera.pixelAt(depth(at, camera));
    const up = new Vector3().setFromMatrixColumn(camera.eye.matrixWorld, 1);
    const side = new Vector3().setFromMatrixColumn(camera.eye.matrixWorld, 0);
    const top = at.clone().addScaledVector(up, 15 * pixel).addScaledVector(side, 5 * pixel);
    this.rods.link(at, top, 1.3 * pixel, colour);
    this.ball(top, 6, colour, camera);
  }

  private arrow(from: Vector3, along: Vector3, length: number, radius: number, colour: Color): void {
    const head = Math.min(length, 7 * radius);
    const neck = from.clone().addScaledVector(along, length - head);
    this.rods.link(from, neck, radius, colour);
    this.heads.link(neck, neck.clone().addScaledVector(along, head), 2.6 * radius, colour);
  }

  private turnArrow(at: Vector3, axis: Vector3, radius: number, thick: number, colour: Color): void {
    const x = new Vector3(), y = new Vector3();
    across(axis, x, y);
    const point = (a: number): Vector3 => at.clone().addScaledVector(x, radius * Math.cos(a)).addScaledVector(y, radius * Math.sin(a));
    const steps = 28;
    const end = 1.5 * Math.PI;
    for (let k = 0; k < steps; k++) this.rods.link(point((end * k) / steps), point((end * (k + 1)) / steps), thick, colour);
    const tip = point(end + 0.32);
    this.heads.link(point(end), tip, 3 * thick, colour);
  }
}
