// What the page and the program say to each other: the same as `message.rs` and `picture.rs` of the program, in TypeScript.
// SI units, world axes (z up), quaternions x y z w.

export type Triple = [number, number, number];
export type Quat = [number, number, number, number];
export type Mode = "dynamic" | "quasi-static" | "kinematic";
export type Method = "auto" | "accurate" | "real-time";
export type SectionName =
  | "poses"
  | "shears"
  | "reactions"
  | "applied"
  | "contacts"
  | "velocities"
  | "accelerations"
  | "centre";

export type Question =
  | { about: "gallery" }
  | { about: "doctor" }
  | { about: "quantities" }
  | { about: "ledger" }
  | { about: "spy"; matrix: "J" | "H" | "A" | "L" }
  | { about: "backlog"; names: string[] }
  | { about: "scene" }
  | { about: "details"; path: string }
  | { about: "palette" };

export type Request =
  | { do: "open"; scene: string }
  | { do: "open-text"; name: string; text: string }
  | { do: "new" }
  | { do: "play" }
  | { do: "pause" }
  | { do: "step"; ticks: number }
  | { do: "speed"; factor: number }
  | { do: "reset" }
  | { do: "seek"; tick: number }
  | { do: "method"; method: Method }
  | { do: "grab"; hand: number; body: string; point: Triple; cap: number }
  | { do: "move"; hand: number; to: Triple }
  | { do: "cap"; hand: number; cap: number }
  | { do: "pin"; hand: number }
  | { do: "push"; hand: number; body: string; point: Triple; force: Triple }
  | { do: "twist"; hand: number; body: string; torque: Triple }
  | { do: "release"; hand: number; client?: number }
  | { do: "release-all" }
  | { do: "mode"; mode: Mode }
  | { do: "jog"; body: string; point: Triple; velocity: Triple }
  | { do: "drive"; joint: string; on: boolean }
  | { do: "show"; sections: SectionName[] }
  | { do: "watch"; names: string[] }
  | { do: "ask"; id: number; question: Question }
  | { do: "ping"; id: number }
  | { do: "edit"; edit: Edit }
  | { do: "undo" }
  | { do: "redo" };

/** A change of the scene: see `edit/` of the program. */
export type Edit = { kind: string; [field: string]: unknown };

export interface Placed {
  at: Triple;
  turn: Quat;
}

export type Geometry =
  | { kind: "box"; size: Triple }
  | { kind: "sphere"; radius: number }
  | { kind: "ellipsoid"; radii: Triple }
  | { kind: "cylinder"; radius: number; length: number }
  | { kind: "capsule"; radius: number; length: number }
  | { kind: "cone"; radius: number; height: number }
  | { kind: "tube"; inner: number; outer: number; length: number }
  | { kind: "torus"; radius: number; tube: number }
  | { kind: "mesh"; positions: number[]; triangles: number[] }
  | { kind: "point" }
  | { kind: "plane" };

export interface ShapePicture {
  geometry: number;
  pose: Placed;
  colour: Triple | null;
}

export interface PointPicture {
  name: string;
  at: Triple;
}

export interface BodyPicture {
  name: string;
  kind: string;
  mass: number;
  centre: Triple;
  shapes: ShapePicture[];
  points: PointPicture[];
  generated: boolean;
}

export type Role = "primary" | "loop" | "redundant" | "sided";

export interface JointPicture {
  name: string;
  kind: string;
  /** Number of the body; -1 is the ground. */
  a: number;
  b: number;
  on_a: Placed;
  on_b: Placed;
  role: Role;
  unique: boolean;
  condition: "active" | "locked" | "broken";
  drive: boolean;
  rows: number;
  /** Quantities: `pin.coordinate`, `pin.coordinate.1`. */
  coordinates: string[];
  generated: boolean;
}

export interface ForcePicture {
  name: string;
  kind: string;
  on: [number, Triple][];
}

export interface CameraPicture {
  name: string;
  from: Triple;
  look_at: Triple;
  angle: number;
  /** The body it goes with, over the ground, and where that was at the start. */
  follows: { body: number; start: Triple } | null;
}

export interface Picture {
  revision: number;
  name: string;
  title: string;
  description: string;
  gravity: Triple;
  size: number;
  tick: number;
  geometries: Geometry[];
  bodies: BodyPicture[];
  deforming: number[];
  ground: ShapePicture[];
  ground_points: PointPicture[];
  joints: JointPicture[];
  forces: ForcePicture[];
  cameras: CameraPicture[];
  contacts: boolean;
  can_undo: boolean;
  can_redo: boolean;
  /** What is not shown as it is; for people. */
  notes: string[];
}

export type Reply =
  | { say: "welcome"; client: number; version: string }
  | ({ say: "picture" } & Picture)
  | { say: "answer"; id: number; answer: unknown }
  | { say: "error"; id?: number; message: string; details?: string }
  | { say: "note"; message: string }
  | { say: "made"; name: string }
  | { say: "pong"; id: number };

export interface HandNow {
  client: number;
  hand: number;
  kind: "grab" | "push" | "twist";
  body: string;
  at: Triple;
  to: Triple;
  force: Triple;
  cap: number;
  pinned: boolean;
}

export interface FrameHeader {
  tick: number;
  time: number;
  playing: boolean;
  past: boolean;
  mode: Mode;
  method: Method;
  integrator: string;
  speed: number;
  real_time: number;
  cost_us: number;
  gap: number;
  kinetic: number;
  potential: number;
  recorded: [number, number];
  revision: number;
  clients: number;
  stopped: string | null;
  activity: string | null;
  hands: HandNow[];
  values: Record<string, number | null>;
  sections: { name: SectionName; count: number; width: number }[];
}

export interface Section {
  count: number;
  width: number;
  data: Float32Array;
}

export interface Frame extends FrameHeader {
  parts: Partial<Record<SectionName, Section>>;
}

/** A binary message as a frame: see the head of `message.rs`. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as FrameHeader;
  let offset = 4 + length;
  const parts: Frame["parts"] = {};
  for (const { name, count, width } of header.sections) {
    parts[name] = { count, width, data: new Float32Array(buffer, offset, count * width) };
    offset += 4 * count * width;
  }
  return { ...header, parts };
}
