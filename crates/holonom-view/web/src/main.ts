// The page: parts are made, wired to the shared state, and connected.

import { App } from "./app";
import { createBuild, type Build } from "./build";
import { createLink, type Link } from "./link";
import { createPanels, type Panels } from "./panels";
import { startTheme } from "./panels/theme";
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
});

declare global {
  interface Window {
    /** For tests and for people with a console. */
    holonom: { app: App; link: Link; panels: Panels; view: View; touch: Touch; build: Build };
  }
}
window.holonom = { app, link, panels, view, touch, build };
