// Many shapes with the same triangles, each with a place and a colour of its own; drawn in one call.
//
// With graphics hardware they are instances. A processor that draws takes every instance as a call of its own: there the triangles are written out, once for each shape, with a number that
// finds the shape's matrix in a texture.

import { BufferAttribute, BufferGeometry, Color, DataTexture, FloatType, InstancedBufferAttribute, InstancedMesh, Mesh, RGBAFormat } from "three";
import type { ShaderMaterial } from "three";
import type { Materials } from "./materials";

/** Corners beyond which writing them out takes too much memory. */
const MOST_CORNERS = 1_500_000;
/** Matrices in a row of the texture: four texels each. */
const ROW = 256;

export interface Crowd {
  /** Columns of a 4 x 4 matrix for each, one after the other. */
  readonly matrices: Float32Array;
  readonly object: Mesh;
  /** The same as its shadow on the floor, where there is no shadow map. */
  readonly shadow: Mesh | null;
  colour(k: number, colour: Color): void;
  coloured(): void;
  moved(): void;
  dispose(): void;
}

/** `one` is the triangles of one, `box` if they are a box of eight corners. */
export function crowd(one: BufferGeometry, count: number, box: boolean, paints: Materials): Crowd {
  const corners = one.getAttribute("position").count;
  const many = paints.written !== null && count > 24 && corners * count <= MOST_CORNERS;
  return many ? written(one, count, box, paints) : instanced(one, count, box, paints);
}

function instanced(one: BufferGeometry, count: number, box: boolean, paints: Materials): Crowd {
  const object = new InstancedMesh(one, (box && paints.box) || paints.body, count);
  object.castShadow = object.receiveShadow = true;
  const colours = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
  object.instanceColor = colours;
  let shadow: InstancedMesh | null = null;
  if (paints.shade) {
    shadow = new InstancedMesh(one, paints.shade, 1);
    shadow.instanceMatrix = object.instanceMatrix;
    shadow.count = count;
  }
  const matrices = object.instanceMatrix.array as Float32Array;
  for (let k = 0; k < count; k++) matrices[16 * k + 15] = 1;
  return {
    matrices,
    object,
    shadow,
    colour: (k, c) => colours.setXYZ(k, c.r, c.g, c.b),
    coloured: () => (colours.needsUpdate = true),
    moved: () => (object.instanceMatrix.needsUpdate = true),
    dispose() {
      object.dispose();
      shadow?.dispose();
    },
  };
}

function written(one: BufferGeometry, count: number, box: boolean, paints: Materials): Crowd {
  const rows = Math.ceil(count / ROW);
  const matrices = new Float32Array(16 * ROW * rows);
  for (let k = 0; k < count; k++) matrices[16 * k + 15] = 1;
  const texture = new DataTexture(matrices, 4 * ROW, rows, RGBAFormat, FloatType);

  const corners = one.getAttribute("position").count;
  const all = new BufferGeometry();
  for (const name of ["position", "normal"]) {
    const part = one.getAttribute(name).array as Float32Array;
    const whole = new Float32Array(part.length * count);
    for (let k = 0; k < count; k++) whole.set(part, k * part.length);
    all.setAttribute(name, new BufferAttribute(whole, 3));
  }
  const item = new Float32Array(corners * count);
  for (let k = 0; k < count; k++) item.fill(k, k * corners, (k + 1) * corners);
  all.setAttribute("item", new BufferAttribute(item, 1));
  const colours = new BufferAttribute(new Uint8Array(4 * corners * count), 4, true); // linear would show steps in 8 bits: its square root is kept
  all.setAttribute("tint", colours);
  const index = one.index ? Array.from(one.index.array) : Array.from({ length: corners }, (_, i) => i);
  const whole = new Uint32Array(index.length * count);
  for (let k = 0; k < count; k++) for (let i = 0; i < index.length; i++) whole[k * index.length + i] = index[i] + k * corners;
  all.setIndex(new BufferAttribute(whole, 1));

  const make = (material: ShaderMaterial): Mesh => {
    const mesh = new Mesh(all, material);
    // the texture is this crowd's own, the material everybody's
    mesh.onBeforeRender = () => {
      material.uniforms.maps.value = texture;
      material.uniformsNeedUpdate = true;
    };
    return mesh;
  };
  const kit = paints.written!;
  const object = make(box ? kit.box : kit.body);
  const shadow = make(kit.shade);
  return {
    matrices,
    object,
    shadow,
    colour(k, c) {
      const [r, g, b] = [c.r, c.g, c.b].map((x) => Math.round(255 * Math.sqrt(Math.min(1, Math.max(0, x)))));
      for (let i = k * corners; i < (k + 1) * corners; i++) {
        const a = colours.array;
        a[4 * i] = r;
        a[4 * i + 1] = g;
        a[4 * i + 2] = b;
      }
    },
    coloured: () => (colours.needsUpdate = true),
    moved: () => (texture.needsUpdate = true),
    dispose() {
      all.dispose();
      texture.dispose();
    },
  };
}
