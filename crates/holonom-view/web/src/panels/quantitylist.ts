// The searchable list of quantities: one line for each thing, with its components as buttons. Only what fits on a few screens is made:
// large scenes have a hundred thousand of them.

import type { QuantityAnswer } from "../protocol";
import { h, icon, setText } from "./dom";
import { unitText } from "./units";
import { families, type Catalogue } from "./watch";

const MOST_LINES = 120;

export class QuantityList {
  readonly node: HTMLElement;
  private search = h("input", { class: "field", type: "search", testid: "quantity-search", label: "Search quantities", attrs: { placeholder: "Search quantities: crank pos, pin force …", autocomplete: "off", spellcheck: "false" } });
  private lines = h("div", { class: "quantities", testid: "quantity-list" });
  private count = h("div", { class: "muted quantities-count" });
  private open = false;

  constructor(private catalogue: Catalogue, private press: (q: QuantityAnswer) => void, private chosen: (name: string) => boolean) {
    this.node = h("div", { class: "quantity-box" }, h("div", { class: "search" }, icon("search"), this.search), this.count, this.lines);
    this.search.addEventListener("input", () => this.setOpen(true));
    this.search.addEventListener("focus", () => this.setOpen(true));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.search.value = "";
        this.setOpen(false);
        this.search.blur();
      }
    });
    // the list folds when the plots below are pressed
    document.addEventListener("pointerdown", (event) => {
      if (this.open && !this.node.contains(event.target as Node) && this.search.value === "") this.setOpen(false);
    });
    this.setOpen(false);
  }

  refresh(): void {
    if (this.open) void this.fill();
  }

  private setOpen(open: boolean): void {
    this.open = open;
    this.lines.hidden = this.count.hidden = !open;
    if (open) void this.fill();
  }

  private async fill(): Promise<void> {
    let answer: { found: QuantityAnswer[]; more: boolean };
    const search = this.search.value;
    try {
      answer = await this.catalogue.find(search, 4 * MOST_LINES);
    } catch (error) {
      setText(this.count, `The list could not be read: ${(error as Error).message}`);
      this.lines.replaceChildren();
      return;
    }
    if (search !== this.search.value) return;
    const { found } = answer;
    const shown = families(found).slice(0, MOST_LINES);
    const seen = shown.reduce((n, f) => n + f.members.length, 0);
    const many = `${found.length} ${found.length === 1 ? "quantity" : "quantities"}`;
    setText(this.count, found.length === 0 ? "Nothing fits." : answer.more || seen < found.length ? `The first ${seen}; type more of a name to narrow them down` : many);
    this.lines.replaceChildren(...shown.map((family) => h("div", { class: "quantity" },
      h("span", { class: "quantity-name", text: family.stem, title: family.note || family.stem }),
      family.note.startsWith("not unique") && h("span", { class: "mark warn", text: "not unique", title: family.note }),
      h("span", { class: "muted quantity-unit", text: unitText(family.unit) }),
      h("span", { class: "chips" }, ...family.members.map((member) => {
        const on = this.chosen(member.name);
        return h("button", { class: "chip", type: "button", testid: "quantity", text: member.part || (on ? "shown" : "plot"), title: `${on ? "Take away" : "Plot"} ${member.name}`, label: `${on ? "Take away" : "Plot"} ${member.name}`,
          attrs: { "data-name": member.name, "aria-pressed": String(on) },
          on: { click: () => this.press({ name: member.name, unit: family.unit, note: member.note }) } });
      })))));
  }
}
