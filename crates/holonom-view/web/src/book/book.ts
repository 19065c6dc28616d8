// The pages of the book: colours, mechanisms in the text, exercises, and what is kept for days without a network.

import { recall, remember } from "../panels/store";
import { createExercise } from "./exercise";
import { Live, startWhenSeen } from "./live";
import "./book.css";

const dark = window.matchMedia("(prefers-color-scheme: dark)");

function theme(): "light" | "dark" {
  const chosen = recall("theme");
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

function paint(): void {
  const now = theme();
  document.documentElement.dataset.theme = now;
  for (const live of Live.all) live.theme(now);
}

paint();
dark.addEventListener("change", paint);
document.querySelector(".theme")?.addEventListener("click", () => {
  remember("theme", theme() === "dark" ? "light" : "dark");
  paint();
});

for (const figure of document.querySelectorAll<HTMLElement>("figure.live")) new Live(figure);
for (const form of document.querySelectorAll<HTMLFormElement>("form.exercise")) {
  const live = Live.all.find((l) => l.name === form.dataset.scene);
  if (live) createExercise(form, live);
}
startWhenSeen();
document.querySelector(".contents [aria-current]")?.scrollIntoView({ block: "nearest" });

// opened from a disk there is nothing to keep
if (location.protocol.startsWith("http")) {
  const up = document.body.dataset.up ?? "../";
  void navigator.serviceWorker?.register(`${up}sw.js`).catch(() => {});
  void navigator.serviceWorker?.ready.then((registration) => registration.active?.postMessage("keep the book"));
}

/** For tests and for people with a console. */
Object.assign(window, { book: { live: Live.all } });
