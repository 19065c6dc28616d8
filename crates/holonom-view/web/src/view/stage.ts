// What the mechanism stands on and in: sky, grid, ground planes, lights and the one shadow map.

import {
  BufferAttribute,
  BufferGeometry,
  CircleGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Vector3,
} from "three";
import type { Picture } from "../protocol";
import { FILL, KEY } from "./materials";
import { placedMap } from "./poses";
import type { Palette } from "./theme";

export interface Bounds {
  centre: Vector3;
  radius: number;
  min: Vector3;
  max: Vector3;
}

/** 1, 2 or 5 times a power of ten, at most x. */
export function niceBelow(x: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(x)));
  const lead = x / power;
  return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

export class Stage {
  readonly group = new Object3D();
  readonly key = new DirectionalLight(0xffffff, 2.3);
  readonly fill = new DirectionalLight(0xffffff, 0.55);
  /** From straight above: the soft dark spot where something stands or hangs low. Where graphics hardware draws. */
  readonly above = new DirectionalLight(0xffffff, 0.7);
  /** Do surfaces mirror their surroundings, and so need less light besides? */
  mirrored = false;
  /** Height of the grid, m. */
  floor = 0;
  /** Width of a small square of the grid, m. */
  step = 1;
  private sky: Mesh;
  private hemi = new HemisphereLight(0xffffff, 0x8a9098, 1.35);
  private grid: LineSegments;
  private catcher: Mesh<PlaneGeometry, ShadowMaterial>;
  private planes: Mesh[] = [];
  private flatPlane: number | null = null;
  /** How far it was carried along since it was made, m. */
  private carried = { x: 0, y: 0 };

  constructor() {
    const quad = new PlaneGeometry(2, 2);
    quad.setAttribute("color", new BufferAttribute(new Float32Array(12), 3));
    this.sky = new Mesh(
      quad,
      new ShaderMaterial({
        vertexShader: "attribute vec3 color; varying vec3 c; void main() { c = color; gl_Position = vec4(position.xy, 1.0, 1.0); }",
        // every other pixel half a step of colour up: the slow change shows fewer bands
        fragmentShader: "varying vec3 c; void main() { gl_FragColor = vec4(c + mod(floor(gl_FragCoord.x) + floor(gl_FragCoord.y), 2.0) * 0.002, 1.0); }",
        depthTest: false,
        depthWrite: false,
      }),
    );
    this.sky.frustumCulled = false;
    this.sky.renderOrder = -1000;
    this.grid = new LineSegments(
      new BufferGeometry(),
      new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }),
    );
    this.grid.renderOrder = -10;
    this.catcher = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ depthWrite: false }));
    this.catcher.receiveShadow = true;
    this.catcher.renderOrder = -9;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.bias = -0.0004;
    this.key.shadow.radius = 3;
    this.above.shadow.mapSize.set(1024, 1024);
    this.above.shadow.bias = -0.0006;
    this.above.shadow.radius = 9;
    this.above.visible = false;
    this.group.add(this.sky, this.hemi, this.key, this.key.target, this.fill, this.fill.target, this.above, this.above.target, this.grid, this.catcher);
  }

  reset(picture: Picture, bounds: Bounds, palette: Palette): void {
    this.flatPlane = null;
    for (const plane of this.planes) {
      this.group.remove(plane);
      plane.geometry.dispose();
    }
    this.planes = picture.ground
      .filter((shape) => picture.geometries[shape.geometry]?.kind === "plane")
      .map((shape) => {
        const m = placedMap(shape.pose);
        const flat = m[8] > 0.9999;
        if (flat) this.flatPlane = Math.max(this.flatPlane ?? -Infinity, m[11]);
        const material = new MeshBasicMaterial({ transparent: true, depthWrite: false, vertexColors: true });
        const plane = new Mesh(fading(bounds.radius * 9), material);
        plane.userData.colour = shape.colour && new Color().setRGB(...shape.colour, "srgb");
        plane.renderOrder = -20;
        plane.matrixAutoUpdate = false;
        plane.matrix.set(m[0], m[3], m[6], m[9], m[1], m[4], m[7], m[10], m[2], m[5], m[8], m[11], 0, 0, 0, 1);
        // a flat one is centred below the mechanism, wherever its origin is
        plane.userData.flat = flat;
        if (flat) plane.matrix.setPosition(bounds.centre.x, bounds.centre.y, m[11]);
        this.group.add(plane);
        return plane;
      });
    this.size(bounds, palette);
    this.paint(palette);
  }

  /** Grid and light for what is there. */
  size(bounds: Bounds, palette: Palette): void {
    const { centre, radius, min, max } = bounds;
    this.step = niceBelow(radius / 3);
    if (this.flatPlane !== null) this.floor = this.flatPlane;
    else if (min.z >= -0.02 * radius) this.floor = 0;
    else {
      // what hangs will swing: as low as it reaches from the top
      const reach = Math.max(max.x - min.x, max.y - min.y, max.z - min.z);
      this.floor = Math.floor(Math.min(min.z, max.z - 1.02 * reach) / this.step) * this.step;
    }
    this.drawGrid(centre, radius, palette);
    this.catcher.scale.set(8 * radius, 8 * radius, 1);
    this.catcher.position.set(centre.x, centre.y, this.floor + 1e-4 * radius);

    const reach = radius * 1.35;
    this.key.position.copy(centre).addScaledVector(KEY, reach * 3);
    this.key.target.position.copy(centre);
    this.above.position.set(centre.x, centre.y, centre.z + reach * 3);
    this.above.target.position.copy(centre);
    for (const light of [this.key, this.above]) {
      const s = light.shadow.camera;
      s.left = s.bottom = -reach;
      s.right = s.top = reach;
      s.near = reach * 0.5;
      s.far = reach * 7;
      s.updateProjectionMatrix();
      light.shadow.normalBias = reach * 0.004;
    }
    this.fill.position.copy(centre).addScaledVector(FILL, radius * 3);
    this.fill.target.position.copy(centre);
  }

  /** Goes along with what is looked at: light and ground by all of the way, the grid by whole squares, so that it seems to stay. */
  carry(x: number, y: number): void {
    for (const part of [this.catcher, this.key, this.key.target, this.fill, this.fill.target, this.above, this.above.target]) {
      part.position.x += x;
      part.position.y += y;
    }
    for (const plane of this.planes.filter((p) => p.userData.flat)) {
      plane.matrix.elements[12] += x;
      plane.matrix.elements[13] += y;
      plane.matrixWorldNeedsUpdate = true;
    }
    this.carried.x += x;
    this.carried.y += y;
    const square = 5 * this.step;
    this.grid.position.x = Math.round(this.carried.x / square) * square;
    this.grid.position.y = Math.round(this.carried.y / square) * square;
  }

  /** Is this still the right size for what is there now? */
  fits(bounds: Bounds): boolean {
    if (this.flatPlane !== null) return true;
    return !(bounds.min.z < this.floor - 0.05 * bounds.radius && bounds.min.z > this.floor - 4 * bounds.radius);
  }

  paint(palette: Palette): void {
    const colours = this.sky.geometry.getAttribute("color");
    const [top, bottom] = [palette.skyTop, palette.skyBottom].map((c) => c.clone().convertLinearToSRGB());
    for (let i = 0; i < 4; i++) {
      const c = i < 2 ? top : bottom;
      colours.setXYZ(i, c.r, c.g, c.b);
    }
    colours.needsUpdate = true;
    this.hemi.color.set(palette.dark ? 0xdfe9f5 : 0xffffff);
    this.hemi.groundColor.set(palette.dark ? 0x525a63 : 0x9da3a9);
    this.hemi.intensity = palette.dark ? 1.35 : 1.7;
    this.key.intensity = palette.dark ? 1.9 : 2.2;
    this.above.visible = this.mirrored;
    if (this.mirrored) {
      this.hemi.intensity *= 0.42;
      this.key.intensity *= 0.8;
    }
    this.catcher.material.opacity = palette.shadow;
    for (const plane of this.planes) (plane.material as MeshBasicMaterial).color.copy((plane.userData.colour as Color) ?? palette.ground);
  }

  show(grid: boolean, shadows: boolean): void {
    this.grid.visible = grid;
    this.catcher.visible = shadows;
    this.key.castShadow = shadows;
    this.above.castShadow = shadows && this.mirrored;
  }

  private drawGrid(centre: Vector3, radius: number, palette: Palette): void {
    const { step } = this;
    const half = Math.ceil((radius * 3.2) / step);
    const cx = Math.round(centre.x / step), cy = Math.round(centre.y / step);
    const far = half * step;
    const places: number[] = [];
    const colours: number[] = [];
    const fade = (x: number, y: number): number => {
      const r = Math.hypot(x, y) / far;
      return Math.max(0, 1 - r * r) ** 1.5;
    };
    const pieces = 12;
    const line = (k: number, c: number, along: 0 | 1): void => {
      const major = k % 5 === 0;
      const colour = major ? palette.gridMajor : palette.grid;
      const fixed = (k - c) * step;
      for (let p = 0; p < pieces; p++) {
        for (const e of [p, p + 1]) {
          const s = far * ((2 * e) / pieces - 1);
          const [x, y] = along === 0 ? [s, fixed] : [fixed, s];
          places.push(x + cx * step, y + cy * step, 0);
          colours.push(colour.r, colour.g, colour.b, fade(x, y) * (major ? 0.9 : 0.55));
        }
      }
    };
    for (let k = -half; k <= half; k++) {
      line(cy + k, cy, 0);
      line(cx + k, cx, 1);
    }
    this.grid.geometry.dispose();
    this.grid.geometry = new BufferGeometry();
    this.grid.geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
    this.grid.geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 4));
    this.carried = { x: 0, y: 0 };
    this.grid.position.set(0, 0, this.floor + 2e-4 * radius);
  }
}

/** A disc that fades towards its edge. */
function fading(radius: number): BufferGeometry {
  const g = new CircleGeometry(radius, 48);
  const n = g.getAttribute("position").count;
  const colours = new Float32Array(4 * n).fill(1);
  for (let i = 1; i < n; i++) colours[4 * i + 3] = 0;
  g.setAttribute("color", new BufferAttribute(colours, 4));
  return g;
}
