// A line around bodies that are selected, pointed out or under the pointer: their shapes again, inside out, a little larger on the screen.

import { BackSide, BufferGeometry, Color, Mesh, Object3D, ShaderMaterial, Vector2 } from "three";
import { mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Bodies } from "./bodies";

const MOST = 80;

export class Outline {
  readonly group = new Object3D();
  private swollen = new WeakMap<BufferGeometry, BufferGeometry>();
  private wanted: { body: number; colour: Color }[] = [];
  private resolution = new Vector2(1, 1);

  resize(width: number, height: number): void {
    this.resolution.set(width, height);
  }

  /** Which bodies; later ones win. */
  set(wanted: { body: number; colour: Color }[]): void {
    const last = new Map(wanted.map((w) => [w.body, w]));
    this.wanted = [...last.values()].slice(-MOST);
  }

  update(bodies: Bodies): void {
    let k = 0;
    for (const { body, colour } of this.wanted) {
      for (const { geometry, matrix } of bodies.parts(body)) {
        const mesh = (this.group.children[k++] as Mesh | undefined) ?? this.make();
        mesh.geometry = this.swell(geometry);
        mesh.matrix.copy(matrix);
        mesh.matrixWorldNeedsUpdate = true;
        (mesh.material as ShaderMaterial).uniforms.colour.value = colour.clone().convertLinearToSRGB();
        mesh.visible = true;
      }
    }
    for (; k < this.group.children.length; k++) this.group.children[k].visible = false;
  }

  private make(): Mesh {
    const material = new ShaderMaterial({
      side: BackSide,
      uniforms: { colour: { value: new Color() }, resolution: { value: this.resolution } },
      vertexShader: `
        uniform vec2 resolution;
        void main() {
          vec4 p = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          // normals of a scaled shape: the inverse transpose
          mat3 m = mat3(modelViewMatrix);
          vec3 n = m * (normal / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2])));
          vec2 out2 = (projectionMatrix * vec4(n, 0.0)).xy * vec2(resolution.x, resolution.y);
          float l = length(out2);
          if (l > 0.0) p.xy += out2 / l * 5.0 / resolution * p.w;
          gl_Position = p;
        }`,
      fragmentShader: "uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }",
    });
    const mesh = new Mesh(undefined, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return mesh;
  }

  /** The same triangles with one normal per corner, so that edges do not gape. */
  private swell(geometry: BufferGeometry): BufferGeometry {
    let out = this.swollen.get(geometry);
    if (!out) {
      const bare = new BufferGeometry();
      bare.setAttribute("position", geometry.getAttribute("position"));
      if (geometry.index) bare.setIndex(geometry.index);
      out = mergeVertices(bare, 1e-5);
      out.computeVertexNormals();
      this.swollen.set(geometry, out);
    }
    return out;
  }
}
