// How surfaces are lit. With graphics hardware: three's materials, a shadow map. Where the processor draws: light computed at corners only, by the same lamps, and shadows thrown flat
// onto the floor; a third of the cost, and nearly the same to look at.

import {
  Color,
  EqualStencilFunc,
  GreaterDepth,
  IncrementStencilOp,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshStandardMaterial,
  ShaderMaterial,
  Vector3,
} from "three";
import type { Material } from "three";
import type { Palette } from "./theme";

export interface Materials {
  body: Material;
  sign: Material;
  arrow: Material;
  /** For what is hidden by something else. */
  veil: Material;
  /** In front of everything. */
  over: Material;
  /** Shadows thrown flat onto the floor; null where there is a shadow map. */
  shade: MeshBasicMaterial | null;
  paint(palette: Palette): void;
}

/** Towards the main lamp. */
export const KEY = new Vector3(-0.45, -0.6, 1).normalize();
export const FILL = new Vector3(0.8, -0.3, 0.25).normalize();

function cornerLit(vertexColors: boolean): ShaderMaterial {
  return new ShaderMaterial({
    defines: vertexColors ? { SHADED: 1 } : {},
    uniforms: { key: { value: KEY }, fill: { value: FILL }, lamp: { value: 0 }, ambient: { value: 0 }, below: { value: new Color() } },
    vertexShader: `
      uniform vec3 key, fill, below;
      uniform float lamp, ambient;
      #ifdef SHADED
      attribute vec3 color;
      #endif
      varying vec3 c;
      void main() {
        mat3 m = mat3(instanceMatrix);
        vec3 n = normalize(m * (normal / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2]))));
        vec3 sky = mix(below, vec3(1.0), 0.5 + 0.5 * n.z) * ambient;
        c = instanceColor * (sky + lamp * max(0.0, dot(n, key)) + 0.17 * max(0.0, dot(n, fill)));
        #ifdef SHADED
        c *= color;
        #endif
        c = pow(c, vec3(0.4545));
        gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: "varying vec3 c; void main() { gl_FragColor = vec4(c, 1.0); }",
  });
}

export function materials(software: boolean): Materials {
  const veil = new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.28, depthFunc: GreaterDepth, depthWrite: false });
  const over = new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
  if (!software) {
    const sign = new MeshLambertMaterial({ vertexColors: true });
    return { body: new MeshStandardMaterial({ roughness: 0.62, metalness: 0.08 }), sign, arrow: sign, veil, over, shade: null, paint: () => {} };
  }
  const body = cornerLit(false);
  const sign = cornerLit(true);
  // once per pixel, however many shadows fall there
  const shade = new MeshBasicMaterial({ color: 0x000000, transparent: true, depthWrite: false, stencilWrite: true, stencilFunc: EqualStencilFunc, stencilRef: 0, stencilZPass: IncrementStencilOp });
  return {
    body,
    sign,
    arrow: sign,
    veil,
    over,
    shade,
    paint(palette) {
      shade.opacity = palette.shadow * 0.75;
      for (const m of [body, sign]) {
        m.uniforms.lamp.value = palette.dark ? 0.6 : 0.7;
        m.uniforms.ambient.value = palette.dark ? 0.37 : 0.48;
        m.uniforms.below.value.set(palette.dark ? 0x525a63 : 0x9da3a9);
      }
    },
  };
}
