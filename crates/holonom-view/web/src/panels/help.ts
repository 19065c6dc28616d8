// The sheet with all keys.

import { createSheet } from "./dialog";
import { h } from "./dom";
import type { Key, Keys } from "./keys";

export function createHelp(trigger: HTMLButtonElement, keys: Keys, version: () => string): void {
  const sheet = createSheet("Keys and mouse", "help-sheet", false);
  const open = () => {
    const groups = new Map<string, Key[]>();
    for (const key of keys.all) groups.set(key.group, [...(groups.get(key.group) ?? []), key]);
    const columns = h("div", { class: "key-groups" });
    for (const [group, list] of groups) {
      const table = h("dl", { class: "keys" });
      for (const key of list) table.append(h("dt", {}, ...key.shown.split(" + ").map((k) => h("kbd", { text: k }))), h("dd", { text: key.does }));
      columns.append(h("section", {}, h("h3", { text: group }), table));
    }
    sheet.body.replaceChildren(columns, h("p", { class: "muted", text: `holonom ${version()}` }));
    sheet.open();
  };
  trigger.addEventListener("click", open);
  keys.add({ key: "?", shown: "?", does: "this sheet", group: "Page", press: open });
}
