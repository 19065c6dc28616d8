// Light and dark: as the system has it until somebody chooses; the choice is remembered. `data-theme` on the root element carries it.

import type { App } from "../app";
import { recall, remember } from "./store";

export type Theme = "light" | "dark";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** Puts the theme on the page and follows the system. Called before anything is drawn. */
export function startTheme(app: App): void {
  const put = () => {
    const chosen = recall("theme");
    const now: Theme = chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
    if (document.documentElement.dataset.theme === now) return;
    document.documentElement.dataset.theme = now;
    app.emit("theme", now);
  };
  dark.addEventListener("change", put);
  put();
}

export function switchTheme(app: App): void {
  const now: Theme = theme() === "dark" ? "light" : "dark";
  remember("theme", now);
  document.documentElement.dataset.theme = now;
  app.emit("theme", now);
}

/** A colour of the theme by the name of its variable. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
