// The page: parts are made, wired to the shared state, and connected.

import { App } from "./app";
import { createBuild, type Build } from "./build";
import { createLink, type Link } from "./link";
import { createPanels, type Panels } from "./panels";
import { saveFile } from "./panels/downloads";
import { startTheme } from "./panels/theme";
import { followAddress } from "./site/address";
import { Embedded } from "./site/embed";
import { EMBEDDED } from "./site/embedded";
import { FIRST, showHint } from "./site/first";
import { WorkerLink } from "./site/link";
import { createTouch, type Touch } from "./touch";
import { createView, type View } from "./view";
import "./style.css";

const app = new App();
startTheme(app);
const root = document.getElementById("app")!;
const link = createLink(app);
const panels = createPanels(app, link, root, () => view);
const view = createView(panels.layout.view, app);
const touch = createTouch(view, app);
const build = createBuild(app, view, touch, {
  palette: panels.layout.tabs.build,
  form: panels.layout.inspectEdit,
  open: () => panels.layout.open("build"),
  files: {
    save: () => void saveFile(app, link, panels.work, "scene"),
    begin: () => void panels.open({ do: "new" }),
  },
});
if (link instanceof WorkerLink) {
  // an engine that has ended is followed by another, with what was there last
  link.opening = () => {
    const kept = panels.work.current();
    return kept ? { do: "open-text", name: kept.name, text: kept.text } : app.lastOpened;
  };
  if (EMBEDDED) new Embedded({ app, view: panels.layout.notices });
  else if (!/^#s(cene)?=/.test(location.hash)) showHint(panels.layout.notices, () => void panels.openGallery());
  followAddress(app, link, panels.open, EMBEDDED ? [] : FIRST);
  // opened from a file there is nothing to keep: the page is all there is
  if (location.protocol.startsWith("http")) void navigator.serviceWorker?.register("sw.js").catch(() => {});
}

declare global {
  interface Window {
    /** For tests and for people with a console. */
    holonom: { app: App; link: Link; panels: Panels; view: View; touch: Touch; build: Build };
  }
}
window.holonom = { app, link, panels, view, touch, build };
