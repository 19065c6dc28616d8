// The page: parts are made, wired to the shared state, and connected.

import { App } from "./app";
import { createLink, type Link } from "./link";
import { createPanels, type Panels } from "./panels";
import { startTheme } from "./panels/theme";
import "./style.css";

const app = new App();
startTheme(app);
const root = document.getElementById("app")!;
const link = createLink(app);
const panels = createPanels(app, link, root, () => Promise.reject(new Error("there is no view")));

declare global {
  interface Window {
    /** For tests and for people with a console. */
    holonom: { app: App; link: Link; panels: Panels };
  }
}
window.holonom = { app, link, panels };
