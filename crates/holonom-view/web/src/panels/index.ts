// All panels of the page, wired to the shared state.

import type { App } from "../app";
import type { Link } from "../link";
import { createHelp } from "./help";
import { Keys } from "./keys";
import { createLayout, type Layout } from "./layout";
import { createNotices } from "./notices";
import { createTimeBar } from "./timebar";
import { createTopBar } from "./topbar";

export interface Panels {
  layout: Layout;
  keys: Keys;
}

export function createPanels(app: App, link: Link, root: HTMLElement): Panels {
  const keys = new Keys();
  const layout = createLayout(root);
  createTimeBar(app, layout.time, keys);
  const top = createTopBar(app, layout, link, keys);
  createNotices(app, layout.notices, link);
  createHelp(top.help, keys, () => app.version);
  return { layout, keys };
}
