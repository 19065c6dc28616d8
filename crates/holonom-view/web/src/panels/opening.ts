// Before another scene is opened: is there work that no file has, and does anybody else look at this one? Then people are asked.

import type { App } from "../app";
import type { Request } from "../protocol";
import { button, h } from "./dom";
import type { Work } from "./work";

export type Open = (request: Request) => Promise<boolean>;

/** Opens a scene, after asking where that takes something away; false where it was not done after all. */
export function createOpening(app: App, work: Work): Open {
  return async (request) => {
    const others = (app.frame?.clients ?? 1) - 1;
    if (!work.unsaved && others === 0) return app.send(request);
    const reasons: string[] = [];
    if (work.unsaved) reasons.push(`“${app.picture?.title || app.picture?.name}” has changes that are not saved in a file.`);
    if (others > 0) reasons.push(`${others === 1 ? "Another page shows" : `${others} other pages show`} this scene too: it is replaced there as well.`);
    const answer = await ask("Open another scene?", reasons, work.unsaved);
    if (answer === "cancel") return false;
    if (work.unsaved) {
      if (answer === "keep") await work.keep().catch(() => {});
      else work.forget();
    }
    return app.send(request);
  };
}

type Answer = "keep" | "open" | "cancel";

function ask(title: string, reasons: string[], unsaved: boolean): Promise<Answer> {
  return new Promise((resolve) => {
    let answer: Answer = "cancel";
    const choose = (a: Answer) => () => {
      answer = a;
      dialog.close();
    };
    const dialog = h("dialog", { class: "sheet small", testid: "opening", label: title },
      h("header", { class: "sheet-head" }, h("h2", { text: title })),
      h("div", { class: "sheet-body" }, ...reasons.map((text) => h("p", { text })),
        h("div", { class: "row-tools end" },
          button({ label: "Cancel", text: "Cancel", class: "button outline", testid: "opening-cancel", press: choose("cancel") }),
          button(unsaved
            ? { label: "Throw the changes away and open", text: "Throw away and open", class: "button outline", testid: "opening-discard", press: choose("open") }
            : { label: "Open for everybody", text: "Open for everybody", class: "button primary", testid: "opening-open", press: choose("open") }),
          unsaved ? button({ label: "Keep the changes in this browser and open", text: "Keep and open", class: "button primary", testid: "opening-keep", press: choose("keep") }) : null)));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
    dialog.querySelector<HTMLElement>(".primary")?.focus();
  });
}
