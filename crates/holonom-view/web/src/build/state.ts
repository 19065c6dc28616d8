// What the builder has chosen: the piece to add, the plane, how ends are joined. Parts hear of changes.

import type { Offers } from "./edits";

/** What a press in the view does. Sizes are asked for when they are used: they suit what is seen then. */
export type Item =
  | { do: "select" }
  /** From one point to another. */
  | { do: "line"; name: string; shape: string; sizes: () => Record<string, number | number[]> }
  /** At one place. */
  | { do: "place"; name: string; body: () => Record<string, unknown> }
  | { do: "joint"; joint: string }
  | { do: "pin" };

export type Ends = "revolute" | "spherical" | "weld" | "none";
export type AxisName = "normal" | "x" | "y" | "z";

export class Choice {
  item: Item = { do: "select" };
  /** Name of the button that is down. */
  button = "select";
  ends: Ends = "revolute";
  axis: AxisName = "normal";
  offers: Offers | null = null;
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
