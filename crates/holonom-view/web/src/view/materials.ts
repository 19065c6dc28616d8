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
  /** For boxes of eight corners (see `geometry.ts`); null where usual boxes are as good. */
  box: Material | null;
  /** The same for shapes that are written out one by one (see `crowd.ts`); null where they are instances. */
  written: { body: ShaderMaterial; box: ShaderMaterial; shade: ShaderMaterial } | null;
  sign: Material;
  arrow: Material;
  /** For what is hidden by something else. */
  veil: Material;
  /** In front of everything. */
  over: Material;
  /** Shadows thrown flat onto the floor; null where there is a shadow map. */
  shade: MeshBasicMaterial | null;
  /** Shapes beyond which their edges are not drawn. */
  mostEdged: number;
  paint(palette: Palette): void;
  /** Bodies that one can see through, or not. */
  through(on: boolean): void;
}

/** Towards the main lamp. */
export const KEY = new Vector3(-0.45, -0.6, 1).normalize();
export const FILL = new Vector3(0.8, -0.3, 0.25).normalize();

type Lit = { shaded?: boolean; flat?: boolean; written?: boolean };

/** The matrix of a shape that is written out: see `crowd.ts`. */
const FIND = `
  uniform highp sampler2D maps;
  attribute float item;
  attribute vec4 tint;
  mat4 find() {
    int k = int(item + 0.5);
    ivec2 at = ivec2((k % 256) * 4, k / 256);
    return mat4(texelFetch(maps, at, 0), texelFetch(maps, at + ivec2(1, 0), 0), texelFetch(maps, at + ivec2(2, 0), 0), texelFetch(maps, at + ivec2(3, 0), 0));
  }`;

/** Light at corners: `shaded` corners have a shade of their own, faces that are `flat` have the light of their last corner. */
function cornerLit({ shaded = false, flat = false, written = false }: Lit): ShaderMaterial {
  const carry = flat ? "flat varying" : "varying";
  return new ShaderMaterial({
    uniforms: { key: { value: KEY }, fill: { value: FILL }, lamp: { value: 0 }, ambient: { value: 0 }, below: { value: new Color() }, alpha: { value: 1 }, maps: { value: null } },
    vertexShader: `
      uniform vec3 key, fill, below;
      uniform float lamp, ambient;
      ${shaded ? "attribute vec3 color;" : ""}
      ${written ? FIND : ""}
      ${carry} vec3 c;
      void main() {
        mat4 place = ${written ? "find()" : "instanceMatrix"};
        vec3 own = ${written ? "tint.rgb * tint.rgb" : "instanceColor"};
        mat3 m = mat3(place);
        vec3 n = normalize(m * (normal / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2]))));
        vec3 sky = mix(below, vec3(1.0), 0.5 + 0.5 * n.z) * ambient;
        c = own * (sky + lamp * max(0.0, dot(n, key)) + 0.17 * max(0.0, dot(n, fill)));
        ${shaded ? "c *= color;" : ""}
        c = pow(c, vec3(0.4545));
        gl_Position = projectionMatrix * modelViewMatrix * place * vec4(position, 1.0);
      }`,
    fragmentShader: `uniform float alpha; ${carry} vec3 c; void main() { gl_FragColor = vec4(c, alpha); }`,
  });
}

// once per pixel, however many shadows fall there
const ONCE = { transparent: true, depthWrite: false, stencilWrite: true, stencilFunc: EqualStencilFunc, stencilRef: 0, stencilZPass: IncrementStencilOp } as const;

function writtenShade(): ShaderMaterial {
  return new ShaderMaterial({
    ...ONCE,
    uniforms: { maps: { value: null }, dark: { value: 0.2 } },
    vertexShader: `${FIND} void main() { gl_Position = projectionMatrix * modelViewMatrix * find() * vec4(position, 1.0); }`,
    fragmentShader: "uniform float dark; void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, dark); }",
  });
}

function seeThrough(material: Material, on: boolean): void {
  const alpha = on ? 0.42 : 1;
  material.transparent = on;
  material.opacity = alpha;
  material.depthWrite = !on;
  if (material instanceof ShaderMaterial) material.uniforms.alpha!.value = alpha;
  material.needsUpdate = true;
}

export function materials(software: boolean): Materials {
  const veil = new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.28, depthFunc: GreaterDepth, depthWrite: false });
  const over = new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
  if (!software) {
    const sign = new MeshLambertMaterial({ vertexColors: true });
    const body = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.12 });
    return { body, box: null, written: null, sign, arrow: sign, veil, over, shade: null, mostEdged: 3000, paint: () => {}, through: (on) => seeThrough(body, on) };
  }
  const body = cornerLit({});
  const box = cornerLit({ flat: true });
  const sign = cornerLit({ shaded: true });
  const shade = new MeshBasicMaterial({ color: 0x000000, ...ONCE });
  const written = { body: cornerLit({ written: true }), box: cornerLit({ written: true, flat: true }), shade: writtenShade() };
  return {
    body,
    box,
    written,
    sign,
    arrow: sign,
    veil,
    over,
    shade,
    mostEdged: 120,
    through(on) {
      for (const material of [body, box, written.body, written.box]) seeThrough(material, on);
    },
    paint(palette) {
      shade.opacity = written.shade.uniforms.dark.value = palette.shadow * 0.75;
      for (const m of [body, box, sign, written.body, written.box]) {
        m.uniforms.lamp.value = palette.dark ? 0.6 : 0.7;
        m.uniforms.ambient.value = palette.dark ? 0.37 : 0.48;
        m.uniforms.below.value.set(palette.dark ? 0x525a63 : 0x9da3a9);
      }
    },
  };
}
