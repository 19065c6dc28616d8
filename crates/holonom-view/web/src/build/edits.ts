// Changes of a scene.

import type { App } from "../app";
import type { Edit, JsonValue, Triple } from "../protocol";

/** The table of something new, as in a scene file. */
export type Fields = Record<string, JsonValue>;

/** Has this page added something that it has not seen yet? */
export const waiting = { forNew: false };

export function edit(app: App, change: Edit): boolean {
  waiting.forNew = change.kind.startsWith("add-") || change.kind === "duplicate";
  return app.send({ do: "edit", edit: change });
}

/** Coordinates come as single-precision numbers: to the micrometre. */
export function round(t: Triple): Triple {
  return t.map((x) => Math.round(x * 1e6) / 1e6 + 0) as Triple;
}
