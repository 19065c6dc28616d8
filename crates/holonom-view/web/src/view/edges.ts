// Dark lines along the edges of shapes: what tells a thing from the one behind it where light does not. One draw call per class of forms, in the places of its bodies.

import { BufferGeometry, Color, EdgesGeometry, InstancedBufferAttribute, InstancedBufferGeometry, LineSegments, ShaderMaterial } from "three";
import type { Palette } from "./theme";

/** Faces that meet at more than this make an edge, degrees. */
const SHARP = 28;
/** Corners of a form beyond which it is no form with edges, but a mesh. */
const MOST_CORNERS = 30_000;

/** The lines of a class, drawn where `matrices` puts it; null where the form is round all over. */
export class Edges {
  readonly object: LineSegments;
  private place: InstancedBufferAttribute;

  private constructor(lines: BufferGeometry, matrices: Float32Array, count: number, material: ShaderMaterial) {
    const geometry = new InstancedBufferGeometry();
    geometry.setAttribute("position", lines.getAttribute("position"));
    this.place = new InstancedBufferAttribute(matrices, 16);
    geometry.setAttribute("place", this.place);
    geometry.instanceCount = count;
    this.object = new LineSegments(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
  }

  static of(form: BufferGeometry, matrices: Float32Array, count: number, material: ShaderMaterial): Edges | null {
    if (form.getAttribute("position").count > MOST_CORNERS) return null;
    const lines = new EdgesGeometry(form, SHARP);
    return lines.getAttribute("position").count > 0 ? new Edges(lines, matrices, count, material) : null;
  }

  moved(): void {
    this.place.needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
  }
}

/** A little nearer than the faces beside them: a few thousandths of the way to the eye. */
export function edgeMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { colour: { value: new Color() }, strength: { value: 0.3 } },
    vertexShader: `
      attribute mat4 place;
      void main() {
        vec4 p = projectionMatrix * modelViewMatrix * place * vec4(position, 1.0);
        p.z -= 4e-5 * p.w;
        gl_Position = p;
      }`,
    fragmentShader: "uniform vec3 colour; uniform float strength; void main() { gl_FragColor = vec4(colour, strength); }",
  });
}

export function paintEdges(material: ShaderMaterial, palette: Palette): void {
  (material.uniforms.colour.value as Color).set(palette.dark ? 0x04080c : 0x10202e);
  material.uniforms.strength.value = palette.dark ? 0.55 : 0.34;
}
