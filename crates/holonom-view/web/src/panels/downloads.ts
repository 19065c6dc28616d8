// What can be taken away: recorded numbers, a picture, the scene, the inputs; where the page needs no program, a link that others can open.

import type { App } from "../app";
import type { Link } from "../link";
import { sceneLink } from "../site/address";
import type { FileKind } from "../site/engine";
import { h } from "./dom";
import { menuItem, popover } from "./popover";
import { Video } from "./video";
import type { Work } from "./work";

const SUFFIX: Record<FileKind, string> = { scene: "toml", inputs: "inputs.jsonl", numbers: "csv" };
/** A link so long is not opened everywhere, characters. */
const LONG = 8000;

/** The name of the scene as that of a file, without its suffix. */
export function fileName(app: App): string {
  return (app.picture?.name || "scene").replace(/\.(toml|urdf|xacro|xml|mjcf)$/i, "").replace(/[^\p{L}\p{N}_.-]+/gu, "-") || "scene";
}

/** Saves a file of the session under the name of the scene. */
export async function saveFile(app: App, link: Link, work: Work, kind: FileKind): Promise<void> {
  const [name, revision] = [fileName(app), app.picture?.revision];
  try {
    save(await link.file(kind), `${name}.${SUFFIX[kind]}`);
    if (kind === "scene" && app.picture?.revision === revision) work.wasSaved();
  } catch (error) {
    app.emit("error", { message: `${name}.${SUFFIX[kind]} could not be saved: ${(error as Error).message}` });
  }
}

export function createDownloads(app: App, link: Link, work: Work, trigger: HTMLButtonElement, screenshot: () => Promise<Blob>, canvas: () => HTMLCanvasElement, notices: HTMLElement): void {
  const video = new Video(app, notices, canvas, (film, suffix) => save(film, `${fileName(app)}.${suffix}`));
  popover(trigger, (sheet, close) => {
    const file = (text: string, note: string, kind: FileKind, testid: string) => menuItem(text, note, testid, () => {
      close();
      void saveFile(app, link, work, kind);
    });
    sheet.append(
      link.alone ? menuItem("Link to this scene", "copy", "share", () => {
        close();
        void share(app, work);
      }) : "",
      file("Recorded numbers", "CSV", "numbers", "download-csv"),
      menuItem("Picture of the view", "PNG", "download-png", () => {
        close();
        screenshot().then((blob) => save(blob, `${fileName(app)}.png`), (error: Error) => app.emit("error", { message: `The picture could not be made: ${error.message}` }));
      }),
      Video.possible && !video.running ? menuItem("Video of the view", "record", "download-video", () => {
        close();
        video.start();
      }) : "",
      file("Scene file", "TOML", "scene", "download-scene"),
      file("Inputs of this session", "JSON lines", "inputs", "download-inputs"),
      h("p", { class: "muted menu-note", text: "A scene file runs with “holonom run”, inputs with “holonom replay”: to the same bits." }),
    );
  }, "downloads-menu");
}

/** The scene goes into the address, and the address to the clipboard. */
async function share(app: App, work: Work): Promise<void> {
  const { name, text } = await app.ask({ about: "scene" });
  const link = await sceneLink(name, text);
  history.replaceState(null, "", link);
  work.wasSaved();
  const copied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
  const long = link.length > LONG ? ` It has ${link.length} characters: some programs cut such links short, a scene file is safer.` : "";
  app.emit("note", `${copied ? "The link is copied" : "The link is in the address bar"}: whoever opens it sees this scene.${long}`);
}

/** Hands a blob to the browser as a download. */
function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const a = h("a", { attrs: { href: address, download: name } });
  a.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
