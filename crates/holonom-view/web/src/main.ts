// The page: parts are made, wired to the shared state, and connected.

import { App } from "./app";

const app = new App();

declare global {
  interface Window {
    /** For tests and for people with a console. */
    holonom: { app: App };
  }
}
window.holonom = { app };
