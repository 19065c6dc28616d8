// Arrows for reactions, applied and contact forces, velocities and accelerations.
//
// One scale for each unit, so that forces of different kinds can be compared: the largest arrow of late is a fifth of the scene (times `app.arrowScale`). It follows larger
// values at once and smaller ones slowly. Torques have two heads; reactions that are not unique are dashed and marked ≈.

import { Color, Object3D, Vector3 } from "three";
import type { Material } from "three";
import type { App } from "../app";
import type { Frame, Section } from "../frame";
import { Batch } from "./batch";
import type { OrbitCamera } from "./camera";
import { linkGeometry } from "./glyphs";
import { depth } from "./joints";
import type { Label } from "./labels";
import type { Palette } from "./theme";
import { figure } from "./units";

export type Unit = "N" | "N m" | "m/s" | "m/s²";

const FALL = 2.5; // s: how fast the scale follows smaller values

export class Arrows {
  readonly group = new Object3D();
  /** Always false: the scale moves with frames, not by itself. */
  readonly settling = false;
  /** What is drawn at this moment: metres of arrow per unit. */
  readonly scale = new Map<Unit, number>();
  /** Kinds that are drawn at this moment, for the legend. */
  readonly drawn: { text: string; unit: Unit; colour: keyof Palette }[] = [];
  /** Is a dashed arrow among them? */
  dashedDrawn = false;
  private peaks = new Map<Unit, { value: number; time: number }>();
  private rods: Batch;
  private dashes: Batch;
  private heads: Batch;
  private words: Label[] = [];

  constructor(
    private app: App,
    material: Material,
    veil: Material,
  ) {
    this.rods = new Batch(this.group, linkGeometry("rod"), material, veil);
    this.dashes = new Batch(this.group, linkGeometry("dashed"), material, veil);
    this.heads = new Batch(this.group, linkGeometry("head"), material, veil);
  }

  reset(): void {
    this.peaks.clear();
  }

  labels(): Label[] {
    return this.words;
  }

  update(frame: Frame | null, camera: OrbitCamera, palette: Palette, size: number, now: number): void {
    const batches = [this.rods, this.dashes, this.heads];
    for (const batch of batches) batch.begin();
    this.drawn.length = 0;
    this.words = [];
    this.dashedDrawn = false;
    this.scale.clear();
    const { shown, picture } = this.app;
    if (frame && picture && frame.revision === picture.revision) {
      const { reactions, applied, contacts, velocities, accelerations } = frame.parts;
      const wanted: { part: Section | undefined; on: boolean; at: number; by: number; unit: Unit; colour: keyof Palette; text: string; unique?: number }[] = [
        { part: reactions, on: shown.reactions, at: 0, by: 3, unit: "N", colour: "reaction", text: "Reactions", unique: 9 },
        { part: reactions, on: shown.torques, at: 0, by: 6, unit: "N m", colour: "torque", text: "Reaction torques", unique: 9 },
        { part: applied, on: shown.applied, at: 0, by: 3, unit: "N", colour: "applied", text: "Applied" },
        { part: applied, on: shown.applied, at: 0, by: 6, unit: "N m", colour: "applied", text: "Applied torques" },
        { part: contacts, on: shown.contacts, at: 0, by: 3, unit: "N", colour: "contact", text: "Contacts" },
        { part: velocities, on: shown.velocities, at: 0, by: 3, unit: "m/s", colour: "velocity", text: "Velocities" },
        { part: accelerations, on: shown.accelerations, at: 0, by: 3, unit: "m/s²", colour: "acceleration", text: "Accelerations" },
      ];
      const most = new Map<Unit, number>();
      for (const w of wanted) {
        if (!w.on || !w.part) continue;
        const largest = peak(w.part, w.by);
        if (largest > 0) most.set(w.unit, Math.max(most.get(w.unit) ?? 0, largest));
      }
      for (const [unit, value] of most) this.follow(unit, value, now, size);
      for (const w of wanted) {
        const scale = this.scale.get(w.unit);
        if (!w.on || !w.part || !scale || !(peak(w.part, w.by) > 0)) continue;
        this.drawn.push({ text: w.text, unit: w.unit, colour: w.colour });
        this.draw(w.part, w.at, w.by, w.unique ?? -1, scale, palette[w.colour] as Color, w.unit, camera, size);
      }
    }
    for (const batch of batches) batch.end();
  }

  private follow(unit: Unit, value: number, now: number, size: number): void {
    const p = this.peaks.get(unit);
    if (!p) this.peaks.set(unit, { value, time: now });
    else {
      const dt = Math.min(0.25, Math.max(0, (now - p.time) / 1000));
      p.time = now;
      if (value > p.value) p.value += (value - p.value) * Math.min(1, dt / 0.08);
      else p.value += (value - p.value) * (1 - Math.exp(-dt / FALL));
    }
    const held = this.peaks.get(unit)!.value;
    this.scale.set(unit, (0.2 * size * this.app.arrowScale) / Math.max(held, 1e-300));
  }

  private draw(part: Section, at: number, by: number, unique: number, scale: number, colour: Color, unit: Unit, camera: OrbitCamera, size: number): void {
    const { data, width, count } = part;
    const { picture, selection, shown } = this.app;
    const longest = 0.6 * size * Math.max(1, this.app.arrowScale);
    const from = new Vector3(), along = new Vector3(), neck = new Vector3(), tip = new Vector3();
    const torque = unit === "N m";
    for (let k = 0; k < count; k++) {
      const o = k * width;
      along.set(data[o + by], data[o + by + 1], data[o + by + 2]);
      const amount = along.length();
      const length = Math.min(amount * scale, longest);
      if (!(length > 0.004 * size)) continue;
      from.set(data[o + at], data[o + at + 1], data[o + at + 2]);
      along.divideScalar(amount);
      const pixel = camera.pixelAt(depth(from, camera));
      const r = Math.min(2 * pixel, 0.012 * size, 0.12 * length);
      const head = Math.min(7.5 * r, 0.6 * length);
      tip.copy(from).addScaledVector(along, length);
      neck.copy(tip).addScaledVector(along, -head);
      const vague = unique >= 0 && data[o + unique] === 0;
      if (vague) this.dashedDrawn = true;
      (vague ? this.dashes : this.rods).link(from, neck, r, colour);
      this.heads.link(neck, tip, 2.7 * r, colour);
      if (torque) {
        tip.addScaledVector(along, -0.75 * head);
        neck.addScaledVector(along, -0.75 * head);
        this.heads.link(neck, tip, 2.7 * r, colour);
        tip.addScaledVector(along, 0.75 * head);
      }
      const name = unique >= 0 ? picture?.joints[k]?.name : by === 3 && count === picture?.bodies.length ? picture?.bodies[k]?.name : undefined;
      const chosen = name !== undefined && selection?.name === name;
      if (chosen || ((shown.labels || shown.figures) && count <= 40)) {
        const text = `${vague ? "≈ " : ""}${figure(amount, unit)}`;
        this.words.push({ text, at: tip.clone(), offset: [6, -9], style: chosen ? "v3-strong" : "" });
      }
    }
  }
}

function peak({ data, width, count }: Section, by: number): number {
  let square = 0;
  for (let k = 0, o = by; k < count; k++, o += width) {
    const s = data[o] * data[o] + data[o + 1] * data[o + 1] + data[o + 2] * data[o + 2];
    if (s > square && s < Infinity) square = s;
  }
  return Math.sqrt(square);
}
