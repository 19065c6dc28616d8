// What the builder has chosen: the piece to add, the plane, how ends are joined. Parts hear of changes.

import type { JointEntry } from "../protocol";
import type { Fields } from "./edits";

/** What a press in the view does. Tables are asked for when they are used: sizes suit what is seen then. */
export type Item =
  | { do: "select" }
  /** From one point to another. */
  | { do: "line"; body: () => Fields }
  /** At one place. */
  | { do: "place"; body: () => Fields }
  | { do: "joint"; joint: JointEntry }
  | { do: "pin" };

export type AxisName = "normal" | "x" | "y" | "z";

export class Choice {
  item: Item = { do: "select" };
  /** Name of the button that is down. */
  button = "select";
  /** Kind of the joints at the ends of new rods; none if null. */
  ends: string | null = null;
  /** Kind of the joint that pins a point to the ground. */
  pinned = "";
  axis: AxisName = "normal";
  hint = "";
  private listeners: (() => void)[] = [];

  on(listener: () => void): void {
    this.listeners.push(listener);
  }
  changed(): void {
    for (const listener of this.listeners) listener();
  }
  take(button: string, item: Item): void {
    this.button = button;
    this.item = item;
    this.changed();
  }
  say(hint: string): void {
    if (hint === this.hint) return;
    this.hint = hint;
    this.changed();
  }
}
