// A sheet over the whole page, by the browser's own dialog: it keeps the focus inside and closes on Escape.

import { button, h } from "./dom";

export interface Sheet {
  body: HTMLElement;
  open(): void;
  close(): void;
  readonly isOpen: boolean;
}

export function createSheet(title: string, testid: string, wide: boolean): Sheet {
  const body = h("div", { class: "sheet-body" });
  const dialog = h("dialog", { class: wide ? "sheet wide" : "sheet", testid, label: title });
  dialog.append(
    h("header", { class: "sheet-head" }, h("h2", { text: title }), button({ label: "Close", icon: "close", class: "button icon-button", testid: `${testid}-close`, press: () => dialog.close() })),
    body,
  );
  // a press on the backdrop lands on the dialog itself
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return {
    body,
    open: () => {
      if (!dialog.open) dialog.showModal();
    },
    close: () => dialog.close(),
    get isOpen() {
      return dialog.open;
    },
  };
}
