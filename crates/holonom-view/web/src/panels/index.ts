// All panels of the page, wired to the shared state.

import type { App } from "../app";
import type { Link } from "../link";
import { Doctor } from "./doctor";
import { createDownloads } from "./downloads";
import { Energy } from "./energy";
import { createGallery } from "./gallery";
import { createHelp } from "./help";
import { Inspect } from "./inspect";
import { Keys } from "./keys";
import { createLayout, type Layout } from "./layout";
import { Matrix } from "./matrix";
import { createNotices } from "./notices";
import { createOpening, type Open } from "./opening";
import { Plots } from "./plots";
import { createSee, type Cameras } from "./see";
import { createTimeBar } from "./timebar";
import { createTopBar } from "./topbar";
import { Catalogue, Watcher } from "./watch";
import { Work } from "./work";

export interface Panels {
  layout: Layout;
  keys: Keys;
  plots: Plots;
  /** Quantities that come with the frames: parts say what they want here. */
  watcher: Watcher;
  catalogue: Catalogue;
  openGallery: () => Promise<void>;
  /** Opens a scene, after asking where that takes something away. */
  open: Open;
  work: Work;
}

/** What panels need of the view; it is made after them, in the place that they give it. */
export interface Seen extends Cameras {
  screenshot(): Promise<Blob>;
  canvas: HTMLCanvasElement;
}

export function createPanels(app: App, link: Link, root: HTMLElement, view: () => Seen): Panels {
  const keys = new Keys();
  const layout = createLayout(root);
  createTimeBar(app, layout.time, keys);
  const top = createTopBar(app, layout, link, keys);
  createNotices(app, layout.notices, link);
  createSee(app, top.see, view);
  const work = new Work(app);
  const open = createOpening(app, work);
  createDownloads(app, link, work, top.downloads, () => view().screenshot(), () => view().canvas, layout.notices);
  const gallery = createGallery(app, link, work, open, top.scene, keys);
  createHelp(top.help, keys, () => app.version);
  const watcher = new Watcher(app);
  const catalogue = new Catalogue(app);
  const plots = new Plots(app, layout, watcher, catalogue);
  new Inspect(app, layout, watcher, catalogue, plots);
  new Doctor(app, layout);
  new Energy(app, layout, watcher);
  new Matrix(app, layout);
  grey(app, root, [top.tools, layout.time, layout.tabs.build, layout.inspectEdit]);
  return { layout, keys, plots, watcher, catalogue, openGallery: gallery.open, open, work };
}

/** What asks something of the program is greyed out, and cannot be pressed, while nobody hears it. */
function grey(app: App, root: HTMLElement, parts: HTMLElement[]): void {
  app.on("connection", (state) => {
    root.classList.toggle("unheard", state === "lost");
    for (const part of parts) part.inert = state === "lost";
  });
}
