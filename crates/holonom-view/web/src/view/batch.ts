// Many copies of one solid, filled anew for each frame: signs, links and arrows are drawn with these.

import { Color, InstancedBufferAttribute, InstancedMesh, Object3D, Vector3 } from "three";
import type { BufferGeometry, Material } from "three";

export class Batch {
  private mesh: InstancedMesh;
  private veil: InstancedMesh | null = null;
  private count = 0;

  /** `veil` is a second material for where the copies are hidden by something else. */
  constructor(
    readonly parent: Object3D,
    private geometry: BufferGeometry,
    private material: Material,
    private veilMaterial: Material | null = null,
    capacity = 16,
  ) {
    this.mesh = this.make(capacity);
  }

  begin(): void {
    this.count = 0;
  }

  /** A copy with the columns x, y, z and origin p. */
  add(x: Vector3, y: Vector3, z: Vector3, p: Vector3, colour: Color): void {
    if (!Number.isFinite(x.x + y.x + z.x + x.y + z.z + p.x + p.y + p.z)) return;
    const k = this.count++;
    if (k >= this.mesh.instanceMatrix.count) this.grow();
    const m = this.mesh.instanceMatrix.array;
    const o = 16 * k;
    m[o] = x.x;
    m[o + 1] = x.y;
    m[o + 2] = x.z;
    m[o + 4] = y.x;
    m[o + 5] = y.y;
    m[o + 6] = y.z;
    m[o + 8] = z.x;
    m[o + 9] = z.y;
    m[o + 10] = z.z;
    m[o + 12] = p.x;
    m[o + 13] = p.y;
    m[o + 14] = p.z;
    m[o + 15] = 1;
    const c = this.mesh.instanceColor!.array;
    c[3 * k] = colour.r;
    c[3 * k + 1] = colour.g;
    c[3 * k + 2] = colour.b;
  }

  private z = new Vector3();
  private x = new Vector3();
  private y = new Vector3();

  /** A copy that reaches from one place to another, so thick. */
  link(from: Vector3, to: Vector3, radius: number, colour: Color): void {
    const z = this.z.subVectors(to, from);
    const length = z.length();
    if (!(length > 1e-12)) return;
    across(z, this.x, this.y);
    this.add(this.x.multiplyScalar(radius), this.y.multiplyScalar(radius), z, from, colour);
  }

  end(): void {
    for (const mesh of this.veil ? [this.mesh, this.veil] : [this.mesh]) {
      mesh.count = this.count;
      mesh.visible = this.count > 0;
    }
    if (this.count > 0) {
      this.mesh.instanceMatrix.needsUpdate = true;
      if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose(): void {
    for (const mesh of [this.mesh, this.veil]) {
      if (!mesh) continue;
      this.parent.remove(mesh);
      mesh.dispose();
    }
  }

  private make(capacity: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * capacity), 3);
    mesh.frustumCulled = false;
    mesh.count = 0;
    this.parent.add(mesh);
    if (this.veilMaterial) {
      this.veil = new InstancedMesh(this.geometry, this.veilMaterial, 1);
      this.veil.instanceMatrix = mesh.instanceMatrix;
      this.veil.instanceColor = mesh.instanceColor;
      this.veil.frustumCulled = false;
      this.veil.count = 0;
      this.veil.renderOrder = 40;
      this.parent.add(this.veil);
    }
    return mesh;
  }

  private grow(): void {
    const old = this.mesh;
    const oldVeil = this.veil;
    this.mesh = this.make(2 * old.instanceMatrix.count);
    this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
    this.mesh.instanceColor!.array.set(old.instanceColor!.array);
    this.mesh.renderOrder = old.renderOrder;
    this.parent.remove(old);
    old.dispose();
    if (oldVeil) this.parent.remove(oldVeil);
  }
}

/** Two unit vectors across a direction. */
export function across(z: Vector3, x: Vector3, y: Vector3): void {
  if (Math.abs(z.z) < 0.9 * z.length()) x.set(-z.y, z.x, 0);
  else x.set(0, -z.z, z.y);
  x.normalize();
  y.crossVectors(z, x).normalize();
}
