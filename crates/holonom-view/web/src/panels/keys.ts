// Keys of the page: one table, which acts and which the help sheet reads. Parts that handle keys themselves (the view, the hands, building)
// list them here too, without an action, so that the help sheet knows all of them.

export interface Key {
  /** As the browser names it: " ", "Home", "[". Absent where the part that owns it listens by itself. */
  key?: string;
  /** As people name it. */
  shown: string;
  does: string;
  group: string;
  press?: () => void;
}

export class Keys {
  readonly all: Key[] = [];

  constructor() {
    document.addEventListener("keydown", (event) => this.down(event));
    // Firefox presses a focused button when the space bar comes up again
    document.addEventListener("keyup", (event) => {
      if (event.key === " " && this.ours(event)) event.preventDefault();
    });
  }

  add(...keys: Key[]): void {
    this.all.push(...keys);
  }

  private ours(event: KeyboardEvent): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
    const target = event.target;
    if (!(target instanceof HTMLElement)) return true;
    if (target.isContentEditable || target.closest("input:not([type=range]):not([type=checkbox]), textarea, select, dialog[open], .popover")) return false;
    // keys that move a slider or press a button reached by keyboard belong to it
    if (target.matches("input[type=range]")) return event.key === " ";
    if (target.matches("button:focus-visible, a:focus-visible, summary:focus-visible, input[type=checkbox]")) return event.key !== " " && event.key !== "Enter";
    return true;
  }

  private down(event: KeyboardEvent): void {
    if (!this.ours(event)) return;
    const found = this.all.find((k) => k.press && k.key === event.key);
    if (!found) return;
    event.preventDefault();
    if (!event.repeat || found.key === ".") found.press?.();
  }
}
