// What other parts of the page may ask of the view. Places on the screen are client coordinates, as pointer events give them; lengths in m, world axes.

import type { Vector3 } from "three";
import type { App } from "../app";
import type { GeometryPicture, PlacedFrame, Triple } from "../protocol";
import type { Marks } from "./marks";
import type { OrbitCamera } from "./camera";
import type { Poses } from "./poses";

export type Pick =
  | { kind: "body"; body: number; name: string; world: Triple; local: Triple; distance: number }
  | { kind: "joint"; joint: number; name: string; world: Triple }
  | { kind: "force"; force: number; name: string; world: Triple };

export type BodyPick = Extract<Pick, { kind: "body" }>;

/** A point to join something at: body -1 is the ground. */
export interface Snap {
  body: number;
  /** Name of the body, or `ground`. */
  name: string;
  /** What the point is: `body.point` where it has a name, otherwise words. */
  label: string;
  /** Its name in the scene, where it has one. */
  named: string | null;
  /** Body frame. */
  point: Triple;
  world: Triple;
  /** Number of the joint, where the point is one's. */
  joint: number | null;
}

export type StandardView = "front" | "right" | "top" | "home";

export interface View {
  readonly app: App;
  /** Where everything is drawn and pointed at. */
  readonly canvas: HTMLCanvasElement;
  /** Laid over the canvas; takes no pointer events except where its children do. */
  readonly overlay: HTMLElement;
  readonly camera: OrbitCamera;
  readonly poses: Poses;
  /** Hands, ghosts and other marks that are not part of the scene. */
  readonly marks: Marks;

  /** What is under the pointer: the joint or force that is pointed at, otherwise the body. */
  pick(x: number, y: number, slack?: number): Pick | null;
  /** The body under the pointer, or within so many pixels of it. */
  pickBody(x: number, y: number, slack?: number): BodyPick | null;
  /** All joints and drives within reach of the pointer, nearest first. */
  pickJoints(x: number, y: number, slack?: number): Extract<Pick, { kind: "joint" }>[];
  /** The nearest point one would join something at, within so many pixels (12 if not said). */
  snap(x: number, y: number, within?: number, leaveOut?: number): Snap | null;
  /** Where the pointer meets the ground (the grid), or null if it looks past it. */
  groundPoint(x: number, y: number): Triple | null;
  /** Where the pointer meets the plane through a place that faces the camera. */
  facingPoint(x: number, y: number, through: Triple): Triple;
  /** Where a place is seen; `visible` is false behind the camera. */
  project(world: Triple): { x: number; y: number; visible: boolean };
  /** Metres per pixel at a place. */
  pixel(world: Triple): number;
  /** A length that is neither small nor large in this scene. */
  readonly size: number;
  /** Height of the grid. */
  readonly floor: number;

  /** A shape that is not there yet; null takes it away. */
  ghost(geometry: GeometryPicture | null, pose?: PlacedFrame): void;
  /** Point a body or joint out while the pointer is over it; null ends it. */
  hover(pick: Pick | null, x?: number, y?: number): void;
  /** Trace a point of a body, or stop tracing it where it is traced already. */
  trace(body: number, local: Triple): boolean;

  fit(animated?: boolean): void;
  look(from: StandardView): void;
  /** A camera of the scene by its name. */
  lookThrough(name: string): void;

  /** Draw again at the next occasion. */
  invalidate(): void;
  /** Draw now and give the picture, PNG. */
  screenshot(): Promise<Blob>;
  /** For tests: what it costs. Milliseconds; `gpu` is until the graphics were done with it. */
  readonly cost: { frames: number; update: number; render: number; gpu: number; calls: number; triangles: number };
  dispose(): void;
}

export function triple(v: Vector3): Triple {
  return [v.x, v.y, v.z];
}
