// What the page tells people over the view: banners for states that last (no connection, stopped, the past), toasts for what happens once.

import type { App } from "../app";
import type { Link } from "../link";
import { button, h, sentence, setShown, setText } from "./dom";

export function createNotices(app: App, host: HTMLElement, link: Link): void {
  const banners = h("div", { class: "banners" });
  const toasts = h("div", { class: "toasts", role: "log", label: "Messages", testid: "toasts", attrs: { "aria-live": "polite" } });
  host.append(banners, toasts);
  connectionBanner(app, banners, link);
  stoppedBanner(app, banners);
  pastBanner(app, host);
  activityBanner(app, host);
  pausedBanner(app, host);
  app.on("error", ({ message, details }) => toast(toasts, "error", message, details));
  app.on("note", (message) => toast(toasts, "note", message));
  app.on("warning", ({ message, details }) => toast(toasts, "warning", message, details));
}

function connectionBanner(app: App, host: HTMLElement, link: Link): void {
  const text = h("span");
  const banner = h("div", { class: "banner bad", role: "alert", testid: "connection-banner" }, text, button({ label: "Try again now", text: link.alone ? "Start again" : "Try now", class: "button small", testid: "reconnect", press: () => link.retry() }));
  banner.hidden = true;
  host.append(banner);
  app.on("connection", (state) => {
    setShown(banner, state === "lost");
    setText(text, link.ended !== null ? `The engine has stopped: ${link.ended}. Start it again, with the scene as it was last kept.` : link.refused ? "The program was restarted: open the address it printed." : "Connection lost, trying again.");
  });
}

function stoppedBanner(app: App, host: HTMLElement): void {
  const text = h("span");
  const banner = h("div", { class: "banner bad", role: "alert", testid: "stopped-banner" }, h("strong", { text: "Stopped" }), text, button({ label: "Back to the start", text: "Reset", class: "button small", testid: "stopped-reset", press: () => app.send({ do: "reset" }) }));
  banner.hidden = true;
  host.append(banner);
  let said: string | null = null;
  app.on("frame", (frame) => {
    setShown(banner, frame.stopped !== null);
    if (frame.stopped === said) return;
    said = frame.stopped;
    text.replaceChildren(...sentence(said ?? ""));
  });
}

function pastBanner(app: App, host: HTMLElement): void {
  const pill = h("div", { class: "below pill warn", role: "status", testid: "past", text: "Showing the past: play goes on from here" });
  pill.hidden = true;
  host.append(pill);
  app.on("frame", (frame) => setShown(pill, frame.past));
}

function activityBanner(app: App, host: HTMLElement): void {
  const pill = h("div", { class: "below pill", role: "status", testid: "activity" });
  pill.hidden = true;
  host.append(pill);
  app.on("frame", (frame) => {
    setShown(pill, frame.activity !== null && !frame.past);
    if (frame.activity) setText(pill, frame.activity.charAt(0).toUpperCase() + frame.activity.slice(1));
  });
}

/** Something is held, but time stands still: nothing follows. */
function pausedBanner(app: App, host: HTMLElement): void {
  const pill = h("div", { class: "below pill warn", role: "status", testid: "paused-hand", text: "Paused: press Space, and it follows the hand" });
  pill.hidden = true;
  host.append(pill);
  app.on("frame", (frame) => setShown(pill, !frame.playing && !frame.past && frame.activity === null && frame.hands.some((h) => h.client === app.client && !h.pinned)));
}

/** Most messages seen at once. */
const MOST = 4;

function toast(host: HTMLElement, kind: "error" | "note" | "warning", message: string, details?: string | null): void {
  const same = [...host.children].find((t) => (t as HTMLElement).dataset.message === message);
  same?.remove();
  const node = h("div", { class: `toast ${kind}`, testid: `toast-${kind}`, attrs: { "data-message": message } });
  let timer = 0;
  const close = () => {
    window.clearTimeout(timer);
    node.remove();
  };
  const arm = () => (timer = window.setTimeout(close, kind === "note" ? 5000 : 12000));
  node.append(h("div", { class: "toast-line" }, h("span", { class: "toast-text" }, ...sentence(message)), button({ label: "Close this message", icon: "close", class: "button icon-button small", press: close })));
  if (details) {
    node.append(h("details", { testid: "toast-details", on: { toggle: () => window.clearTimeout(timer) } }, h("summary", { text: "Details" }), h("pre", { text: details })));
  }
  node.addEventListener("pointerenter", () => window.clearTimeout(timer));
  node.addEventListener("pointerleave", () => {
    if (!node.querySelector("details[open]")) arm();
  });
  host.append(node);
  while (host.children.length > MOST) host.firstElementChild?.remove();
  arm();
}
