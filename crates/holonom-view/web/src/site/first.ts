// What somebody sees who comes here for the first time: a mechanism that moves, and three sentences that go away.

import { button, h } from "../panels/dom";
import { recall, remember } from "../panels/store";
import type { Request } from "../protocol";

/** The scene of the first page, in motion. */
export const FIRST: Request[] = [{ do: "open", scene: "excavator" }, { do: "play" }];

const SENTENCES = [
  "Take hold of any part with the mouse or a finger, and pull.",
  "Space stops time and lets it go on; the slider at the bottom goes back.",
  "The name at the top left opens fifty more mechanisms, or an empty scene to build in.",
];

/** Where the book is; null where the page stands alone, opened from a disk. */
export const BOOK = document.querySelector("meta[name=holonom-site]") && location.protocol.startsWith("http") ? "book/index.html" : null;

/** Shown once in this browser, until it is closed or a scene is chosen. */
export function showHint(host: HTMLElement, choose: () => void): void {
  if (recall("hint") !== null) return;
  const close = () => {
    remember("hint", "seen");
    card.remove();
  };
  const card = h("aside", { class: "hint", label: "How to begin", testid: "hint" },
    h("ol", {}, ...SENTENCES.map((text) => h("li", { text }))),
    h("div", { class: "row-tools end" },
      BOOK ? h("a", { class: "button small", text: "Read the book", testid: "hint-book", attrs: { href: BOOK } }) : null,
      button({ label: "Choose another mechanism", text: "Other mechanisms", class: "button outline small", testid: "hint-choose", press: () => {
        close();
        choose();
      } }),
      button({ label: "Close this hint", text: "Got it", class: "button primary small", testid: "hint-close", press: close })));
  host.append(card);
}
