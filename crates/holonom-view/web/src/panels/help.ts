// The sheet with all keys.

import { BOOK } from "../site/first";
import { createSheet } from "./dialog";
import { h } from "./dom";
import type { Key, Keys } from "./keys";

/** What the view and the hands listen to by themselves. */
const ELSEWHERE: Key[] = [
  { shown: "drag a body", does: "use the tool on it", group: "Mouse" },
  { shown: "drag beside", does: "turn the view; with the right button anywhere", group: "Mouse" },
  { shown: "Shift + drag", does: "move the view; with the middle button too", group: "Mouse" },
  { shown: "wheel", does: "nearer, farther; while dragging: pull towards you or away", group: "Mouse" },
  { shown: "click", does: "select; on a pinned hand: let go of it", group: "Mouse" },
  { shown: "p", does: "while dragging: pin the hand where it is", group: "Hands" },
  { shown: "Esc", does: "let go of everything", group: "Hands" },
  { shown: "w + a + s + d", does: "jog: away, left, towards you, right", group: "Hands" },
  { shown: "q + e", does: "jog: lower, higher", group: "Hands" },
  { shown: "Ctrl + Z", does: "take the last change back", group: "Building" },
  { shown: "Ctrl + Shift + Z", does: "make it again", group: "Building" },
  { shown: "Delete", does: "remove what is selected, while building", group: "Building" },
  { shown: "f", does: "fit everything in", group: "View" },
  { shown: "1 + 3 + 7", does: "from the front, right, top", group: "View" },
  { shown: "5", does: "with and without perspective", group: "View" },
  { shown: "0", does: "as at the start", group: "View" },
  { shown: "← + → + ↑ + ↓", does: "turn the view", group: "View" },
  { shown: "+", does: "nearer", group: "View" },
  { shown: "−", does: "farther", group: "View" },
];

export function createHelp(trigger: HTMLButtonElement, keys: Keys, version: () => string): void {
  const sheet = createSheet("Keys and mouse", "help-sheet", false);
  const open = () => {
    const groups = new Map<string, Key[]>();
    for (const key of [...keys.all, ...ELSEWHERE]) groups.set(key.group, [...(groups.get(key.group) ?? []), key]);
    const columns = h("div", { class: "key-groups" });
    for (const [group, list] of groups) {
      const table = h("dl", { class: "keys" });
      for (const key of list) table.append(h("dt", {}, ...key.shown.split(" + ").map((k) => h("kbd", { text: k }))), h("dd", { text: key.does }));
      columns.append(h("section", {}, h("h3", { text: group }), table));
    }
    const book = BOOK ? h("p", {}, h("a", { text: "The book", testid: "book", attrs: { href: BOOK } }), ": a course with mechanisms to pull, guides and references.") : "";
    sheet.body.replaceChildren(columns, book, h("p", { class: "muted", text: `holonom ${version()}` }));
    sheet.open();
  };
  trigger.addEventListener("click", open);
  keys.add({ key: "?", shown: "?", does: "this sheet", group: "Page", press: open });
}
