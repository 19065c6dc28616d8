// What can be taken away: recorded numbers, a picture, the scene, the inputs.

import type { App } from "../app";
import { h } from "./dom";
import { menuItem, popover } from "./popover";

export function createDownloads(app: App, trigger: HTMLButtonElement, screenshot: () => Promise<Blob>): void {
  popover(trigger, (sheet, close) => {
    const name = (app.picture?.name || "scene").replace(/\.(toml|urdf|xml)$/i, "").replace(/[^\w.-]+/g, "-");
    const link = (text: string, note: string, href: string, file: string, testid: string) =>
      h("a", { class: "menu-item", testid, attrs: { href, download: file }, on: { click: () => window.setTimeout(close, 0) } }, h("span", { text }), h("span", { class: "muted", text: note }));
    sheet.append(
      link("Recorded numbers", "CSV", "/files/recording.csv", `${name}.csv`, "download-csv"),
      menuItem("Picture of the view", "PNG", "download-png", () => {
        close();
        screenshot().then((blob) => save(blob, `${name}.png`), (error: Error) => app.emit("error", { message: `The picture could not be made: ${error.message}` }));
      }),
      link("Scene file", "TOML", "/files/scene.toml", `${name}.toml`, "download-scene"),
      link("Inputs of this session", "JSON lines", "/files/inputs.jsonl", `${name}.inputs.jsonl`, "download-inputs"),
      h("p", { class: "muted menu-note", text: "A scene file runs with “holonom run”, inputs with “holonom replay”: to the same bits." }),
    );
  }, "downloads-menu");
}

/** Hands a blob to the browser as a download. */
function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const a = h("a", { attrs: { href: address, download: name } });
  a.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
