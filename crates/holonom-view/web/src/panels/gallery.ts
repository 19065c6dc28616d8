// The gallery: scenes to open, one's own files, an empty scene. Comes up by itself when the program was started without a scene.

import type { App } from "../app";
import type { Link } from "../link";
import type { SceneCard } from "../protocol";
import { BOOK } from "../site/first";
import { createSheet, type Sheet } from "./dialog";
import { button, h, icon } from "./dom";
import type { Keys } from "./keys";
import type { Open } from "./opening";
import { sketch } from "./sketch";
import { matcher } from "./watch";
import type { Kept, Work } from "./work";

const FILES = ".toml,.urdf,.xml";
/** Largest file that is sent to the program, bytes. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Of a scene that is not in the gallery its name is all there is. */
type Card = Pick<SceneCard, "name" | "title" | "description"> & Partial<SceneCard> & {
  /** Has the site a picture of it? */
  pictured?: boolean;
};

export function createGallery(app: App, link: Link, work: Work, openScene: Open, trigger: HTMLButtonElement, keys: Keys): { open: () => Promise<void> } {
  const sheet = createSheet("Scenes", "gallery", true);
  const search = h("input", { class: "field", type: "search", testid: "gallery-search", label: "Search scenes", attrs: { placeholder: "Search scenes …", spellcheck: "false" } });
  const cards = h("div", { class: "cards", testid: "gallery-cards" });
  const file = h("input", { type: "file", testid: "gallery-file", label: "Open a scene file", attrs: { accept: FILES } });
  file.hidden = true;
  file.addEventListener("change", () => {
    if (file.files?.[0]) void openFile(app, openScene, file.files[0], sheet);
    file.value = "";
  });
  let scenes: Card[] = [];

  const leave = async (request: Parameters<Open>[0]) => {
    if (await openScene(request)) sheet.close();
  };
  const keptCards = (fits: (text: string) => boolean): HTMLElement[] => {
    const found = work.all().filter((k) => fits(`${k.name} ${k.title}`));
    if (found.length === 0) return [];
    const title = h("h3", { class: "cards-title", text: "Yours, kept in this browser" });
    return [title, ...found.map((k) => keptCard(k, () => void leave({ do: "open-text", name: k.name, text: k.text }), () => {
      work.forget(k.id);
      fill();
    }))];
  };
  const fill = () => {
    const fits = matcher(search.value);
    const found = scenes.filter((s) => fits(`${s.name} ${s.title} ${s.description} ${s.group ?? ""}`));
    const own = keptCards(fits);
    cards.replaceChildren(...own);
    let group: string | undefined;
    for (const scene of found) {
      if (scene.group !== group) {
        group = scene.group;
        cards.append(h("h3", { class: "cards-title", text: group ?? "" }));
      }
      cards.append(card(scene, app.picture?.name === scene.name, () => void leave({ do: "open", scene: scene.name })));
    }
    if (found.length + own.length === 0) cards.append(h("p", { class: "empty", text: "No scene fits." }));
  };
  search.addEventListener("input", fill);
  // the first that fits, as anywhere
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && search.value.trim() !== "") cards.querySelector<HTMLButtonElement>(".card")?.click();
  });
  sheet.body.append(
    h("div", { class: "gallery-tools" }, h("div", { class: "search" }, icon("search"), search),
      button({ label: "Open a scene file: .toml, .urdf or MJCF .xml", icon: "open", text: "Open file", class: "button outline", testid: "gallery-open-file", press: () => file.click() }),
      button({ label: "An empty scene to build in", icon: "plus", text: "New scene", class: "button outline", testid: "gallery-new", press: () => void leave({ do: "new" }) }), file),
    h("p", { class: "muted gallery-note", text: "Or drop a scene file (.toml, .urdf, MJCF .xml) anywhere on this page." }),
    cards);

  // whoever opens a scene, here or elsewhere: the choice is made
  app.on("picture", () => sheet.close());

  const open = async () => {
    const before = app.picture?.revision;
    try {
      const { own, scenes: gallery, verification } = await app.ask({ about: "gallery" });
      scenes = [...gallery.map((scene) => ({ ...scene, pictured: BOOK !== null })), ...verification];
      if (own !== null && !gallery.some((s) => s.name === own)) {
        scenes.unshift({ name: own, title: own, description: "The scene that the program was started with." });
      }
    } catch (error) {
      app.emit("error", { message: `The gallery could not be read: ${(error as Error).message}` });
      return;
    }
    if (app.picture?.revision !== before) return;
    search.value = "";
    fill();
    sheet.open();
    search.focus();
  };
  trigger.addEventListener("click", () => void open());
  keys.add({ key: "o", shown: "o", does: "open another scene", group: "Page", press: () => void open() });
  dropping(app, openScene, sheet);
  openAtStart(app, link, open);
  return { open };
}

/** A program that was started without a scene lets people choose: once in this window, and not while somebody is at work already. */
function openAtStart(app: App, link: Link, open: () => Promise<void>): void {
  // the site has a scene of its own to begin with
  if (link.alone) return;
  const stop = app.on("frame", async (frame) => {
    stop();
    if (frame.tick > 0 || frame.playing || wasOffered()) return;
    const before = app.picture?.revision;
    const gallery = await app.ask({ about: "gallery" }).catch(() => null);
    if (gallery?.own === null && app.picture?.revision === before) await open();
  });
}

function wasOffered(): boolean {
  try {
    const offered = sessionStorage.getItem("holonom.gallery") !== null;
    sessionStorage.setItem("holonom.gallery", "offered");
    return offered;
  } catch {
    return false;
  }
}

function card(scene: Card, here: boolean, press: () => void): HTMLElement {
  const counts = [count(scene.bodies, "body", "bodies"), count(scene.joints, "joint", "joints")].filter(Boolean).join(" · ");
  return h("button", { class: here ? "card here" : "card", type: "button", testid: "gallery-card", attrs: { "data-scene": scene.name }, on: { click: press } },
    picture(scene),
    h("span", { class: "card-title", text: scene.title || scene.name }),
    h("span", { class: "card-text", text: scene.description }),
    h("span", { class: "card-foot" }, h("span", { class: "card-name", text: scene.name }), h("span", { text: counts })));
}

/** What the scene looks like: on the site a picture of it, taken for the book; where there is none its lines. */
function picture(scene: Card): Element {
  const lines = sketch(scene.sketch);
  if (!scene.pictured) return lines;
  const image = h("img", { class: "card-picture", attrs: { alt: "", loading: "lazy", src: `book/images/gallery/${encodeURIComponent(scene.name)}.jpg` } });
  image.addEventListener("error", () => image.replaceWith(lines), { once: true });
  return image;
}

function count(n: number | undefined, one: string, many: string): string {
  return n === undefined ? "" : `${n} ${n === 1 ? one : many}`;
}

/** A scene that this browser keeps. */
function keptCard(kept: Kept, press: () => void, forget: () => void): HTMLElement {
  const when = new Date(kept.when).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return h("div", { class: "kept" },
    h("button", { class: "card", type: "button", testid: "kept-card", on: { click: press } },
      h("span", { class: "card-title", text: kept.title || kept.name }), h("span", { class: "card-text", text: `Changed ${when}` }), h("span", { class: "card-foot" }, h("span", { class: "card-name", text: kept.name }))),
    button({ label: `Forget ${kept.title || kept.name}`, icon: "close", class: "button icon-button small", testid: "kept-forget", press: forget }));
}

async function openFile(app: App, open: Open, file: File, sheet: Sheet): Promise<void> {
  if (file.size > MOST_BYTES) {
    app.emit("error", { message: `The file ${file.name} has ${(file.size / 1048576).toFixed(1)} MB; at most ${MOST_BYTES / 1048576} MB can be opened here. Start the program with it instead: holonom view ${file.name}` });
    return;
  }
  if (await open({ do: "open-text", name: file.name, text: await file.text() })) sheet.close();
}

/** A file dropped anywhere on the page is opened. */
function dropping(app: App, open: Open, sheet: Sheet): void {
  const over = h("div", { class: "drop", text: "Drop a scene file to open it", testid: "drop" });
  over.hidden = true;
  document.body.append(over);
  const carries = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    over.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    over.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(app, open, file, sheet);
  });
}
