// The plane one works in, and the grid on it.

import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Triple } from "../protocol";
import type { View } from "../view";

export type PlaneName = "xz" | "xy" | "yz" | "view";

const NORMALS: Record<Exclude<PlaneName, "view">, Triple> = { xz: [0, 1, 0], xy: [0, 0, 1], yz: [1, 0, 0] };

export class WorkPlane {
  name: PlaneName = "xz";
  /** m; 0 for none, null for one that suits the scene. */
  chosenStep: number | null = null;
  private caster = new Raycaster();
  private on = false;
  /** What the lines were drawn for. */
  private drawn = "";
  private lines: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(private view: View) {
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.5, depthWrite: false, vertexColors: true }));
    this.lines.visible = false;
    this.lines.renderOrder = 1;
    view.marks.group.add(this.lines);
  }

  /** Across the plane, world. For hinges: linkages turn about it. */
  get normal(): Triple {
    if (this.name !== "view") return NORMALS[this.name];
    const v = this.view.camera.eye.getWorldDirection(new Vector3()).negate();
    return [v.x, v.y, v.z];
  }

  /** m; about twenty pixels where it is not chosen. */
  get step(): number {
    if (this.chosenStep !== null) return this.chosenStep;
    const t = this.view.camera.target;
    const fine = 20 * this.view.pixel([t.x, t.y, t.z]);
    const ten = 10 ** Math.floor(Math.log10(fine));
    return Number((ten * (fine / ten > 5 ? 10 : fine / ten > 2 ? 5 : fine / ten > 1 ? 2 : 1)).toPrecision(3));
  }

  /** Where the pointer meets the plane through a place, on the grid; null where it looks along the plane. */
  at(x: number, y: number, through: Triple = [0, 0, 0]): Triple | null {
    const box = this.view.canvas.getBoundingClientRect();
    this.caster.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.view.camera.eye);
    const normal = new Vector3(...this.normal);
    if (Math.abs(this.caster.ray.direction.dot(normal)) < 0.05) return null;
    const hit = this.caster.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, new Vector3(...through)), new Vector3());
    if (!hit || hit.length() > 1e4 * Math.max(this.view.size, 1)) return null;
    return this.snapped([hit.x, hit.y, hit.z]);
  }

  /** On the grid; what lies across the plane is kept. */
  snapped(p: Triple): Triple {
    const step = this.step;
    if (!(step > 0) || this.name === "view") return p;
    const n = NORMALS[this.name];
    return p.map((x, i) => (n[i] === 1 ? x : Number((Math.round(x / step) * step).toPrecision(12)))) as Triple;
  }

  /** Draw the grid, or take it away. */
  show(on: boolean): void {
    this.on = on;
    this.drawn = "";
    this.refresh();
  }

  /** Draw it again where the camera has moved. */
  refresh(): void {
    const { step, name, on } = this;
    const t = this.view.camera.target;
    const middle = [t.x, t.y, t.z].map((x) => (step > 0 ? Math.round(x / (5 * step)) * 5 * step : 0));
    const wanted = on ? `${name} ${step} ${middle.join(" ")}` : "";
    if (wanted === this.drawn && on) return;
    this.drawn = wanted;
    this.lines.visible = on && step > 0 && name !== "view";
    if (this.lines.visible && name !== "view") {
      const across = this.view.canvas.clientWidth * this.view.pixel([t.x, t.y, t.z]);
      const half = Math.max(5, Math.min(60, 5 * Math.ceil((0.6 * across) / (5 * step))));
      const [u, v] = name === "xz" ? [0, 2] : name === "xy" ? [0, 1] : [1, 2];
      const places: number[] = [];
      const point = (a: number, b: number): void => {
        const p = [0, 0, 0];
        p[u] = middle[u] + a * step;
        p[v] = middle[v] + b * step;
        places.push(p[0], p[1], p[2]);
      };
      const shades: number[] = [];
      const whole = (x: number): boolean => Math.abs(Math.round(x / (5 * step)) * 5 * step - x) < 1e-6 * step;
      for (let k = -half; k <= half; k++) {
        // every fifth line, counted from the origin, is stronger
        for (const at of [middle[u], middle[v]]) shades.push(...Array<number>(2).fill(whole(at + k * step) ? 1 : 0.35));
        point(k, -half);
        point(k, half);
        point(-half, k);
        point(half, k);
      }
      this.lines.geometry.dispose();
      this.lines.geometry = new BufferGeometry();
      this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
      const rgba = new Float32Array(4 * shades.length);
      shades.forEach((a, i) => rgba.set([1, 1, 1, a], 4 * i));
      this.lines.geometry.setAttribute("color", new BufferAttribute(rgba, 4));
      const colour = getComputedStyle(document.documentElement).getPropertyValue("--line-strong").trim();
      this.lines.material.color = new Color(colour || "#9aa7b3");
    }
    this.view.invalidate();
  }
}
