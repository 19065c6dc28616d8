// What surfaces mirror where graphics hardware draws: a bright sky, a paler ground, and three soft boxes of light, blurred once for every roughness.

import { BackSide, BoxGeometry, Color, Mesh, MeshBasicMaterial, PMREMGenerator, Scene, ShaderMaterial, SphereGeometry } from "three";
import type { Texture, WebGLRenderer } from "three";

/** Place and size of a box of light, and how bright it is. */
const BOXES: [number[], number[], number][] = [
  [[-5, -4, 6.5], [3.5, 3.5, 0.2], 9],
  [[6, -3, 2.5], [0.2, 4, 3], 3.5],
  [[0, 7, 4], [5, 0.2, 1.5], 3],
];

export function surroundings(renderer: WebGLRenderer): Texture {
  const scene = new Scene();
  const sky = new ShaderMaterial({
    side: BackSide,
    uniforms: { above: { value: new Color(0.78, 0.85, 0.95) }, level: { value: new Color(0.62, 0.66, 0.7) }, below: { value: new Color(0.3, 0.3, 0.3) } },
    vertexShader: "varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `
      uniform vec3 above, level, below; varying vec3 way;
      void main() {
        float z = normalize(way).z;
        gl_FragColor = vec4(z > 0.0 ? mix(level, above, sqrt(z)) : mix(level, below, min(1.0, -3.0 * z)), 1.0);
      }`,
  });
  scene.add(new Mesh(new SphereGeometry(20, 32, 16), sky));
  for (const [[x, y, z], [w, d, h], bright] of BOXES) {
    const box = new Mesh(new BoxGeometry(w, d, h), new MeshBasicMaterial({ color: new Color(bright, bright, bright) }));
    box.position.set(x, y, z);
    scene.add(box);
  }
  const generator = new PMREMGenerator(renderer);
  const { texture } = generator.fromScene(scene, 0.03, 0.1, 100);
  generator.dispose();
  scene.traverse((part) => {
    if (!(part instanceof Mesh)) return;
    part.geometry.dispose();
    (part.material as ShaderMaterial).dispose();
  });
  return texture;
}
