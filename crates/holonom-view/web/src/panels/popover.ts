// A small sheet under a button: menus and settings. Closes on Escape, on a press elsewhere, and when its button is pressed again.

import { h } from "./dom";

let open: { close: () => void } | null = null;

/** Makes a button open a sheet. `fill` is called each time it opens. */
export function popover(trigger: HTMLButtonElement, fill: (sheet: HTMLElement, close: () => void) => void, testid: string): void {
  trigger.setAttribute("aria-haspopup", "true");
  trigger.setAttribute("aria-expanded", "false");
  let mine: { close: () => void } | null = null;
  trigger.addEventListener("click", () => {
    if (mine) {
      mine.close();
      return;
    }
    open?.close();
    const sheet = h("div", { class: "popover", testid });
    const close = () => {
      sheet.remove();
      trigger.setAttribute("aria-expanded", "false");
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("keydown", escape, true);
      window.removeEventListener("resize", close);
      mine = open = null;
    };
    const outside = (event: PointerEvent) => {
      if (!sheet.contains(event.target as Node) && !trigger.contains(event.target as Node)) close();
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
      trigger.focus();
    };
    fill(sheet, close);
    document.body.append(sheet);
    const at = trigger.getBoundingClientRect();
    const size = sheet.getBoundingClientRect();
    sheet.style.left = `${Math.max(8, Math.min(at.left, window.innerWidth - size.width - 8))}px`;
    const below = at.bottom + 6;
    const fits = below + size.height <= window.innerHeight - 8;
    sheet.style.top = `${fits ? below : Math.max(8, at.top - size.height - 6)}px`;
    trigger.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("keydown", escape, true);
    window.addEventListener("resize", close);
    mine = open = { close };
    sheet.querySelector<HTMLElement>("button, a, input")?.focus({ preventScroll: true });
  });
}

/** A line of a menu. */
export function menuItem(text: string, note: string, testid: string, press: () => void): HTMLButtonElement {
  return h("button", { class: "menu-item", type: "button", testid, on: { click: press } }, h("span", { text }), note ? h("span", { class: "muted", text: note }) : null);
}
