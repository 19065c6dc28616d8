// The 3-D view: makes the parts, brings them up to date when something is new, draws.

import { AmbientLight, Color, Object3D, Plane, Scene, Vector3, WebGLRenderer } from "three";
import type { App } from "../app";
import type { Frame } from "../frame";
import type { CameraPicture, Picture, Triple } from "../protocol";
import { Arrows } from "./arrows";
import { Bodies } from "./bodies";
import { OrbitCamera } from "./camera";
import { Centre } from "./centre";
import { Joints, depth } from "./joints";
import { Labels, type Label } from "./labels";
import { Legend } from "./legend";
import { drawnByProcessor, Loop } from "./loop";
import { Marks } from "./marks";
import { KEY, materials } from "./materials";
import { Outline } from "./outline";
import { Picker } from "./pick";
import { Poses } from "./poses";
import { sameSight } from "./same";
import { Stage, type Bounds } from "./stage";
import { surroundings } from "./surroundings";
import { palette as paletteOf } from "./theme";
import { Trails } from "./trails";
import { triple, type Pick, type View } from "./types";
import "./view.css";

export type { BodyPick, Pick, Snap, StandardView, View } from "./types";

/** Bodies beyond which shadows cost more than they show. */
const MOST_SHADOWS = 2000;

export function createView(host: HTMLElement, app: App): View {
  const root = document.createElement("div");
  root.className = "v3";
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("aria-label", "3-D view: drag bodies to move them, drag beside them to turn the view; F fits the view, 1, 3 and 7 look from the front, right and top");
  canvas.setAttribute("role", "application");
  const overlay = document.createElement("div");
  overlay.className = "v3-over";
  root.append(canvas, overlay);
  if (getComputedStyle(host).position === "static") host.style.position = "relative";
  host.append(root);

  let renderer: WebGLRenderer | null = null;
  try {
    // where the processor draws, edges are smoothed by drawing the picture larger when it stands still
    renderer = new WebGLRenderer({ canvas, antialias: !drawnByProcessor(), stencil: true, powerPreference: "high-performance" });
  } catch {
    const note = document.createElement("div");
    note.className = "v3-none";
    note.textContent = "This browser offers no 3-D graphics (WebGL 2), so the mechanism cannot be shown. Everything else works.";
    overlay.append(note);
  }

  let palette = paletteOf();
  const scene = new Scene();
  const invalidate = (): void => loop.invalidate();
  const loop: Loop = new Loop(renderer, update, draw);
  const camera = new OrbitCamera(() => loop.invalidate());
  const poses = new Poses();
  const paints = materials(loop.software);

  const stage = new Stage();
  const bodies = new Bodies(paints);
  const joints = new Joints(app, paints.sign, paints.veil);
  const outline = new Outline();
  const arrows = new Arrows(app, paints.arrow, paints.veil);
  const trails = new Trails(app);
  const centre = new Centre();
  const marks = new Marks(app, paints.over);
  marks.group.traverse((o: Object3D) => (o.renderOrder = 50));
  const labels = new Labels(overlay);
  const legend = new Legend(overlay, app);
  const picker = new Picker(canvas, camera, bodies, joints, poses);
  scene.add(new AmbientLight(0xffffff, 0.15), stage.group, bodies.group, joints.group, outline.group, arrows.group, trails.group, centre.group, marks.group);

  if (renderer && !loop.software) {
    scene.environment = surroundings(renderer);
    scene.environmentIntensity = 0.55;
    stage.mirrored = true;
  }
  if (renderer) {
    renderer.shadowMap.enabled = !loop.software;
    renderer.shadowMap.autoUpdate = false; // only when something moved, not when the camera did
    renderer.info.autoReset = true;
  }

  let picture: Picture | null = null;
  let bounds: Bounds = { centre: new Vector3(), radius: 1, min: new Vector3(-1, -1, 0), max: new Vector3(1, 1, 1) };
  let moved = true; // a new frame has to be brought in
  let standing = false; // the camera has been put where it sees the scene
  let fitted = false; // it has been once
  let wasOpen = "";
  let checked = 0;
  let least = 0; // half the thickness of the thinnest that is drawn, m
  let hovered: Pick | null = null;
  let last: Frame | null = null;
  let nameUnderPointer: Label | null = null;

  // ---- the scene and its size ----

  function measure(): Bounds {
    const box = picture && bodies.bounds(picture, poses);
    if (!box) return { centre: new Vector3(0, 0, 0.5), radius: 1.5, min: new Vector3(-1, -1, 0), max: new Vector3(1, 1, 1) };
    const middle = box.min.clone().add(box.max).multiplyScalar(0.5);
    const radius = Math.max(box.min.distanceTo(box.max) / 2, 0.2 * (picture?.size ?? 1), 1e-6);
    return { centre: middle, radius, ...box };
  }

  function open(next: Picture): void {
    const same = picture !== null && next.name === wasOpen;
    last = null;
    picture = next;
    picker.picture = next;
    wasOpen = next.name;
    poses.reset(next);
    const size = sizeOf(next);
    bodies.reset(next, palette, 0.025 * size);
    joints.reset(next, signSize(next, bodies.reach), bodies.thin);
    arrows.reset();
    trails.reset(next);
    hovered = null;
    nameUnderPointer = null;
    joints.hovered = joints.hoveredForce = -1;
    marks.snap = null;
    if (!same) {
      standing = false;
      marks.tool = null;
    }
    resized = true;
    moved = true;
    if (app.frame && app.frame.revision === next.revision) poses.update(app.frame);
    point();
    invalidate();
  }
  let through = false; // bodies are drawn so that one sees through them
  let resized = true; // the stage has to be made for the scene

  /** The lower corner of what is to be seen: what hangs above the floor will swing down towards it. */
  function room(): Vector3 {
    const low = Math.min(bounds.min.z, Math.max(stage.floor, bounds.min.z - bounds.radius));
    return new Vector3(bounds.min.x, bounds.min.y, low);
  }

  /** A box, and where it is after half a swing about the one joint that holds it to the ground, if there is one. */
  function swing(min: Vector3, max: Vector3): { min: Vector3; max: Vector3 } {
    const held = picture?.joints.filter((j) => !j.drive && (j.a < 0 || j.b < 0)) ?? [];
    const [only] = held;
    if (held.length !== 1 || !only || (only.glyph !== "hinge" && only.glyph !== "ball")) return { min, max };
    const p = poses.toWorld(only.b, only.on_b.at, new Vector3());
    const other = (v: Vector3): Vector3 => new Vector3(2 * p.x - v.x, 2 * p.y - v.y, v.z);
    return { min: min.clone().min(other(max)), max: max.clone().max(other(min)) };
  }

  /** The body that the camera goes with, and where it was last seen. */
  let followed: { body: number; last: Vector3 } | null = null;

  /** Goes with a body: what a camera of the scene says is meant for where the body is at the start. */
  function follow(what: CameraPicture["follows"]): void {
    followed = what ? { body: what.body, last: vector(what.start) } : null;
    goAlong();
  }

  function goAlong(): void {
    if (!followed || !poses.known) return;
    const at = poses.toWorld(followed.body, [0, 0, 0], new Vector3());
    if (!Number.isFinite(at.x + at.y)) return;
    const [x, y] = [at.x - followed.last.x, at.y - followed.last.y];
    if (x === 0 && y === 0) return;
    followed.last.copy(at);
    camera.carry(x, y);
    stage.carry(x, y);
  }

  function stand(): void {
    if (!picture) return;
    const view = picture.cameras[0];
    camera.setExtent(bounds.radius);
    if (view) {
      camera.stand(view.from, view.look_at, view.angle, false);
      camera.approach(room(), bounds.max);
      follow(view.follows);
    } else {
      follow(null);
      const flat = flatness(bounds);
      const { min, max } = swing(room(), bounds.max);
      camera.fit(min, max, false, flat ? -0.18 : -0.55, flat ? 0.12 : 0.38);
    }
  }

  // ---- each frame ----

  function update(now: number): boolean {
    const going = camera.advance(now);
    // wires are at least this thick (half): a pixel, seen from here
    const wire = 0.9 * camera.pixelAt(camera.distance);
    const thin = bodies.thinnest < wire || bodies.thinnest < least;
    if (thin && Math.abs(wire - least) > 0.1 * least) {
      least = wire;
      if (!moved && poses.known) bodies.update(poses, least);
    }
    if (moved) {
      moved = false;
      if (app.frame && picture && app.frame.revision === picture.revision) poses.update(app.frame);
      bodies.update(poses, least);
      goAlong();
      if (renderer) renderer.shadowMap.needsUpdate = true;
      if (app.frame && picture) trails.add(app.frame, poses);
      if (!resized && now - checked > 1000) {
        checked = now;
        resized = bodies.lowest() < stage.floor && !stage.fits(measure());
      }
    }
    if (resized && picture && (poses.known || picture.bodies.length === 0)) {
      resized = false;
      bounds = measure();
      stage.reset(picture, bounds, palette);
      bodies.setFloor(stage.floor + 1e-4 * bounds.radius, KEY);
      camera.setExtent(bounds.radius);
      applyShown();
    }
    if (!standing && picture && (poses.known || picture.bodies.length === 0)) {
      standing = fitted = true;
      stand();
    }
    joints.update(poses, camera, palette);
    outline.update(bodies);
    const size = 2 * bounds.radius;
    arrows.update(app.frame, camera, palette, size, now);
    trails.update(palette);
    centre.update(app.frame, app.shown.centre, camera, palette);
    const words = marks.update(camera, palette, size);
    if (nameUnderPointer) {
      if (hovered?.kind === "body") poses.toWorld(hovered.body, hovered.local, nameUnderPointer.at); // goes with the body
      words.push(nameUnderPointer);
    }
    if (app.shown.labels) names(words);
    words.push(...arrows.labels());
    labels.show(words, place);
    legend.update(arrows, camera, palette, now);
    return going || arrows.settling;
  }

  function draw(): void {
    // a picture without a frame: nobody knows yet where its bodies are, so the last view stays, if there was one
    if (picture && !poses.known && picture.bodies.length > 0) return;
    if (renderer) renderer.render(scene, camera.eye);
  }

  /** Pixels within the overlay. */
  function place(at: Vector3): { x: number; y: number; depth: number } {
    const p = at.clone().project(camera.eye);
    return { x: ((p.x + 1) / 2) * overlay.clientWidth, y: ((1 - p.y) / 2) * overlay.clientHeight, depth: depth(at, camera) };
  }

  function names(words: Label[]): void {
    if (!picture) return;
    for (const k of nearest(picture.bodies.length)) words.push({ text: picture.bodies[k].name, at: poses.toWorld(k, picture.bodies[k].centre), offset: [6, 4] });
    if (picture.joints.length > 2000) return;
    picture.joints.forEach((j, k) => {
      const at = joints.places[k];
      if (at && !Number.isNaN(at.x)) words.push({ text: j.unique ? j.name : `${j.name} ≈`, at, style: "v3-joint", offset: [8, -20] });
    });
  }

  /** All bodies, or the two hundred nearest to the eye that can be seen. */
  function nearest(count: number): number[] {
    const all = Array.from({ length: count }, (_, k) => k);
    if (count <= 200) return all;
    const p = new Vector3();
    const far = new Map<number, number>();
    for (const k of all) {
      poses.toWorld(k, [0, 0, 0], p);
      if (camera.sees(p, 0)) far.set(k, depth(p, camera));
    }
    return [...far].sort((a, b) => a[1] - b[1]).slice(0, 200).map(([k]) => k);
  }

  // ---- what is pointed out ----

  function point(): void {
    const wanted: { body: number; colour: Color }[] = [];
    if (picture) {
      const number = new Map(picture.bodies.map((b, k) => [b.name, k]));
      const add = (name: string, colour: Color): void => {
        const body = number.get(name);
        if (body !== undefined) wanted.push({ body, colour });
      };
      for (const path of app.highlight) if (path.startsWith("body.")) add(path.slice(5), palette.warn);
      if (app.selection?.kind === "body") add(app.selection.name, palette.accent);
      if (hovered?.kind === "body") {
        const selected = app.selection?.kind === "body" && app.selection.name === hovered.name;
        if (!selected) wanted.push({ body: hovered.body, colour: palette.accent.clone().lerp(palette.fixed, 0.45) });
      }
    }
    outline.set(wanted);
    invalidate();
  }

  function hover(pick: Pick | null): void {
    const same = pick?.kind === hovered?.kind && pick?.name === hovered?.name;
    hovered = pick;
    joints.hovered = pick?.kind === "joint" ? pick.joint : -1;
    joints.hoveredForce = pick?.kind === "force" ? pick.force : -1;
    const kind = pick?.kind === "joint" ? ` (${words(picture?.joints[pick.joint]?.kind)})` : pick?.kind === "force" ? ` (${words(picture?.forces[pick.force]?.kind)})` : "";
    const fresh = !same;
    if (fresh) nameUnderPointer = pick && { text: pick.name + kind, at: new Vector3(...pick.world), style: "v3-strong", always: true, offset: [14, 12] };
    else if (nameUnderPointer && pick) nameUnderPointer.at.set(...pick.world);
    if (fresh) point();
  }

  function applyShown(): void {
    const shadows = app.shown.shadows && (picture?.bodies.length ?? 0) <= MOST_SHADOWS;
    stage.show(app.shown.grid, shadows && !loop.software);
    bodies.shadows = shadows;
    if (app.shown.transparent !== through) paints.through((through = app.shown.transparent));
    camera.parallel = app.shown.parallel;
    if (renderer) renderer.shadowMap.needsUpdate = true;
    invalidate();
  }

  function paint(theme?: "light" | "dark"): void {
    palette = paletteOf(theme);
    overlay.dataset.dark = String(palette.dark);
    paints.paint(palette);
    bodies.paint(palette);
    stage.paint(palette);
    stage.size(bounds, palette);
    point();
  }

  // ---- listening ----

  function fitCanvas(): void {
    const width = Math.max(1, root.clientWidth);
    const height = Math.max(1, root.clientHeight);
    if (renderer) {
      renderer.setPixelRatio(loop.ratio());
      renderer.setSize(width, height, false);
    }
    outline.resize(width, height);
    camera.resize(width, height);
    if (fitted) loop.now(); // at once: a canvas that was resized is blank
  }

  const ends: (() => void)[] = [
    app.on("picture", open),
    app.on("frame", (frame) => {
      const news = !sameSight(last, frame);
      last = frame;
      if (!news) return;
      moved = true;
      invalidate();
    }),
    app.on("selection", point),
    app.on("highlight", point),
    app.on("shown", applyShown),
    app.on("tool", invalidate),
    app.on("touch", invalidate),
    app.on("theme", paint),
  ];
  const watcher = new ResizeObserver(fitCanvas);
  watcher.observe(root);
  const dusk = matchMedia("(prefers-color-scheme: dark)");
  const onDusk = (): void => paint();
  dusk.addEventListener("change", onDusk);
  const onLost = (e: Event): void => e.preventDefault(); // so that it comes back
  canvas.addEventListener("webglcontextlost", onLost);
  // a frame around the view for those who use keys only
  canvas.addEventListener("keydown", () => (canvas.dataset.keys = "used"));
  canvas.addEventListener("pointerdown", () => delete canvas.dataset.keys);
  canvas.addEventListener("webglcontextrestored", invalidate);

  paint();
  fitCanvas();
  if (app.picture) open(app.picture);

  const vector = (t: Triple): Vector3 => new Vector3(...t);
  const view: View = {
    app,
    canvas,
    overlay,
    camera,
    poses,
    marks,
    pick: (x, y, slack = 5) => picker.any(x, y, slack),
    pickBody: (x, y, slack = 5) => picker.body(x, y, slack),
    pickJoints: (x, y, slack = 10) => picker.jointsNear(x, y, slack),
    snap: (x, y, within = 12, leaveOut = -2) => picker.snap(x, y, within, leaveOut),
    groundPoint(x, y) {
      const p = picker.onPlane(x, y, new Plane(new Vector3(0, 0, 1), -stage.floor));
      return p && p.distanceTo(bounds.centre) < 30 * bounds.radius ? triple(p) : null;
    },
    facingPoint: (x, y, through) => triple(picker.facing(x, y, vector(through))),
    project: (world) => picker.project(vector(world)),
    pixel: (world) => camera.pixelAt(depth(vector(world), camera)),
    get size() {
      return 2 * bounds.radius;
    },
    get floor() {
      return stage.floor;
    },
    ghost(geometry, pose) {
      marks.ghost(geometry, pose);
      invalidate();
    },
    hover,
    trace(body, local) {
      const on = trails.toggle(body, local);
      invalidate();
      return on;
    },
    fit(animated = true) {
      bounds = measure();
      camera.setExtent(bounds.radius);
      camera.fit(room(), bounds.max, animated && !loop.software);
    },
    look(from) {
      bounds = measure();
      camera.look(from, !loop.software);
    },
    lookThrough(name) {
      const c = picture?.cameras.find((k) => k.name === name);
      if (!c) return;
      camera.stand(c.from, c.look_at, c.angle, !loop.software);
      follow(c.follows);
    },
    invalidate,
    screenshot() {
      loop.now(true); // in the same turn as toBlob: the buffer is not kept afterwards
      return new Promise((resolve, reject) => {
        canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be made"))), "image/png");
      });
    },
    get cost() {
      return loop.cost;
    },
    dispose() {
      loop.stop();
      ends.forEach((end) => end());
      watcher.disconnect();
      dusk.removeEventListener("change", onDusk);
      renderer?.dispose();
      root.remove();
    },
  };
  return view;
}

const words = (kind: string | undefined): string => (kind ?? "").replaceAll("-", " ");

function sizeOf(picture: Picture): number {
  return picture.size > 0 && Number.isFinite(picture.size) ? picture.size : 1;
}

/** A radius for joints' signs that suits the bodies: an eighth of the radius of the typical one. */
function signSize(picture: Picture, reach: Float32Array): number {
  const joined = new Set(picture.joints.flatMap((j) => [j.a, j.b]));
  const radii = [...reach].filter((r, k) => r > 0 && joined.has(k)).sort((a, b) => a - b);
  const typical = radii[radii.length >> 1];
  return typical ? Math.min(0.13 * typical, 0.05 * sizeOf(picture) + 0.02 * typical) : 0.02 * sizeOf(picture);
}

/** Does everything lie in an upright plane facing the front? */
function flatness({ min, max }: Bounds): boolean {
  return max.y - min.y < 0.25 * Math.max(max.x - min.x, max.z - min.z);
}
