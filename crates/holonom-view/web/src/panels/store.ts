// What the page remembers between visits: settings of this browser. Where it may not remember (private windows), it forgets, without fuss.

import { EMBEDDED } from "../site/embedded";

// Inside a page of the book nothing is kept, nor taken from what the whole page keeps, but for its colours.
const PREFIX = "holonom.";

/** What was kept under this name, if anything. */
export function recall(name: string): string | null {
  if (EMBEDDED && name !== "theme") return null;
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** Keep this. */
export function remember(name: string, value: string): void {
  if (EMBEDDED) return;
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // a browser that keeps nothing is no trouble
  }
}
