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
  private lines: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(private view: View) {
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.35, depthWrite: false }));
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

  get step(): number {
    if (this.chosenStep !== null) return this.chosenStep;
    const fine = this.view.size / 45;
    const ten = 10 ** Math.floor(Math.log10(fine));
    return ten * (fine / ten >= 5 ? 10 : fine / ten >= 2 ? 5 : fine / ten >= 1 ? 2 : 1);
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
    const { step, name } = this;
    this.lines.visible = on && step > 0 && name !== "view" && name !== "xy";
    if (this.lines.visible && name !== "view") {
      const half = Math.min(40, Math.ceil((0.75 * this.view.size) / step));
      const [u, v] = name === "xz" ? [0, 2] : name === "xy" ? [0, 1] : [1, 2];
      const t = this.view.camera.target;
      const middle = [t.x, t.y, t.z].map((x) => Math.round(x / step) * step);
      const places: number[] = [];
      const point = (a: number, b: number): void => {
        const p = [0, 0, 0];
        p[u] = middle[u] + a * step;
        p[v] = middle[v] + b * step;
        places.push(p[0], p[1], p[2]);
      };
      for (let k = -half; k <= half; k++) {
        point(k, -half);
        point(k, half);
        point(-half, k);
        point(half, k);
      }
      this.lines.geometry.dispose();
      this.lines.geometry = new BufferGeometry();
      this.lines.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
      const colour = getComputedStyle(document.documentElement).getPropertyValue("--line-strong").trim();
      this.lines.material.color = new Color(colour || "#9aa7b3");
    }
    this.view.invalidate();
  }
}
