// Names of things in plain words.

import type { Selection } from "../app";

/** A kind as it is written in sentences: "point-on-line" -> "Point on line". */
export function describe(kind: string): string {
  const words = kind.replaceAll("-", " ").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The same with what it is a kind of, unless it says so itself: "Revolute joint", "Rigid body". */
export function describeAs(kind: string, what: string): string {
  const words = describe(kind);
  return words.toLowerCase().endsWith(what) ? words : `${words} ${what}`;
}

const BODY: Record<string, string> = {
  pos: "Position of the centre of mass",
  vel: "Velocity of the centre of mass",
  acc: "Acceleration of the centre of mass",
  omega: "Angular velocity",
  quat: "Orientation (quaternion)",
  "contact.force": "Force of contacts",
};

const JOINT: Record<string, string> = {
  coordinate: "Coordinate",
  rate: "Rate",
  force: "Reaction force",
  torque: "Reaction torque",
  effort: "Effort of the drive",
  tension: "Tension",
  gap: "Room left",
  "limit.effort": "Effort of the stop",
  "limit.gap": "Room to the stop",
  "friction.effort": "Friction",
};

const FORCE: Record<string, string> = {
  power: "Power given to the bodies",
  force: "Force",
  tension: "Tension",
  length: "Length",
};

/** What a quantity of the selected thing is, in words; null for those that are rarely looked at. */
export function stemTitle(selection: NonNullable<Selection>, stem: string): string | null {
  const rest = stem.slice(selection.name.length + 1);
  const table = selection.kind === "body" ? BODY : selection.kind === "joint" ? JOINT : FORCE;
  if (table[rest]) return table[rest]!;
  const further = /^(coordinate|rate)\.(\d+)$/.exec(rest);
  return further ? `${JOINT[further[1]!]} ${Number(further[2]) + 1}` : null;
}
