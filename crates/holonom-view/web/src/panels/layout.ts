// The frame of the page: top bar, view, side panel with tabs, time bar, and the places that other parts mount into.
//
//   #view           the 3-D view                    #tab-NAME       body of a tab: inspect, plots, doctor, energy, matrix, build
//   #inspect-edit   form of what is selected, in the tab of numbers or under the palette
//   #notices        banners and notes over the view
//
// The side panel is resized by its edge and hidden by its button. On narrow windows (below 800 px) it is a sheet below the view.

import { h } from "./dom";
import { recall, remember } from "./store";

export const TABS = ["inspect", "plots", "doctor", "energy", "matrix", "build"] as const;
export type Tab = (typeof TABS)[number];

const TITLES: Record<Tab, [string, string]> = {
  inspect: ["Inspect", "Numbers of what is selected"],
  plots: ["Plots", "Quantities over time"],
  doctor: ["Doctor", "How the mechanism can move, and which reactions can be trusted"],
  energy: ["Energy", "Where energy is and where it went"],
  matrix: ["Matrix", "Where the matrices of the equations have entries"],
  build: ["Build", "Bodies and joints to add"],
};

export interface Layout {
  top: HTMLElement;
  view: HTMLElement;
  notices: HTMLElement;
  time: HTMLElement;
  tabs: Record<Tab, HTMLElement>;
  inspectEdit: HTMLElement;
  /** The tab that is seen; null while the panel is hidden. */
  current(): Tab | null;
  open(tab: Tab): void;
  toggle(): void;
  onTab(listener: (tab: Tab | null) => void): void;
}

const narrow = window.matchMedia("(max-width: 799px)");

export function createLayout(root: HTMLElement): Layout {
  const top = h("header", { class: "top", role: "banner" });
  const view = h("div", { id: "view", class: "view", testid: "view" });
  const notices = h("div", { id: "notices", class: "notices" });
  const time = h("footer", { class: "time", role: "group", label: "Time" });
  const inspectEdit = h("div", { id: "inspect-edit" });

  const strip = h("div", { class: "tabs", role: "tablist", label: "Panels" });
  const bodies = {} as Record<Tab, HTMLElement>;
  const handles = {} as Record<Tab, HTMLButtonElement>;
  const listeners: ((tab: Tab | null) => void)[] = [];
  let chosen: Tab = TABS.find((t) => t === recall("tab")) ?? "inspect";
  let shown = recall("panel") !== "hidden" && !narrow.matches;

  for (const tab of TABS) {
    const [text, title] = TITLES[tab];
    handles[tab] = h("button", {
      class: "tab", type: "button", role: "tab", id: `handle-${tab}`, title, testid: `tab-${tab}`, text,
      attrs: { "aria-controls": `tab-${tab}` },
      on: { click: () => (shown && chosen === tab && narrow.matches ? put(tab, false) : put(tab, true)) },
    });
    strip.append(handles[tab]);
    bodies[tab] = h("section", { class: `tab-body tab-body-${tab}`, id: `tab-${tab}`, role: "tabpanel", attrs: { "aria-labelledby": `handle-${tab}`, tabindex: "-1" } });
  }
  strip.addEventListener("keydown", (event) => {
    const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (move === 0) return;
    const next = TABS[(TABS.indexOf(chosen) + move + TABS.length) % TABS.length]!;
    put(next, true);
    handles[next].focus();
    event.preventDefault();
  });

  const side = h("aside", { id: "panels", class: "side", testid: "side", label: "Panels" },
    h("div", { class: "tabs-row" }, strip),
    ...TABS.map((t) => bodies[t]));
  const edge = h("div", { class: "edge", role: "separator", label: "Width of the panel", title: "Drag to resize; double click for the usual size", testid: "side-edge", attrs: { tabindex: "0", "aria-orientation": "vertical", "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": "30", "aria-controls": "panels" } });
  resizable(root, edge);

  function put(tab: Tab, open: boolean): void {
    chosen = tab;
    shown = open;
    remember("tab", tab);
    if (!narrow.matches) remember("panel", open ? "shown" : "hidden");
    refresh();
  }
  function refresh(): void {
    root.classList.toggle("side-hidden", !shown);
    for (const tab of TABS) {
      handles[tab].setAttribute("aria-selected", String(tab === chosen && shown));
      handles[tab].tabIndex = tab === chosen ? 0 : -1;
      bodies[tab].hidden = tab !== chosen || !shown;
    }
    for (const listener of listeners) listener(shown ? chosen : null);
  }
  narrow.addEventListener("change", () => {
    shown = !narrow.matches && recall("panel") !== "hidden";
    refresh();
  });

  root.append(top, h("main", { class: "middle" }, view, notices), edge, side, time);
  refresh();
  return {
    top, view, notices, time, tabs: bodies, inspectEdit,
    current: () => (shown ? chosen : null),
    open: (tab) => put(tab, true),
    toggle: () => put(chosen, !shown),
    onTab: (listener) => {
      listeners.push(listener);
      listener(shown ? chosen : null);
    },
  };
}

/** The edge sets the width of the panel, or its height where it lies below. */
function resizable(root: HTMLElement, edge: HTMLElement): void {
  const put = (name: "side-width" | "side-height", size: number | null) => {
    if (size === null) root.style.removeProperty(`--${name}`);
    else root.style.setProperty(`--${name}`, `${Math.round(size)}px`);
    remember(name, size === null ? "" : String(Math.round(size)));
    requestAnimationFrame(() => tell());
  };
  // where the edge stands between the view and the end of the window, for those who cannot see it
  const tell = () => {
    const side = root.querySelector(".side")?.getBoundingClientRect();
    if (!side) return;
    const part = narrow.matches ? side.height / window.innerHeight : side.width / window.innerWidth;
    edge.setAttribute("aria-orientation", narrow.matches ? "horizontal" : "vertical");
    edge.setAttribute("aria-valuenow", String(Math.round(100 * part)));
    edge.setAttribute("aria-valuetext", `${Math.round(100 * part)} % of the window`);
  };
  window.addEventListener("resize", tell);
  requestAnimationFrame(tell);
  const width = (w: number) => put("side-width", Math.max(300, Math.min(w, window.innerWidth * 0.6)));
  const height = (y: number) => put("side-height", Math.max(120, Math.min(y, window.innerHeight * 0.7)));
  for (const name of ["side-width", "side-height"] as const) {
    const kept = Number(recall(name));
    if (kept > 0) root.style.setProperty(`--${name}`, `${kept}px`);
  }
  edge.addEventListener("pointerdown", (event) => {
    edge.setPointerCapture(event.pointerId);
    event.preventDefault();
    const move = (e: PointerEvent) => {
      if (narrow.matches) height(root.querySelector(".time")!.getBoundingClientRect().top - e.clientY);
      else width(window.innerWidth - e.clientX);
    };
    edge.addEventListener("pointermove", move);
    edge.addEventListener("pointerup", () => edge.removeEventListener("pointermove", move), { once: true });
    edge.addEventListener("pointercancel", () => edge.removeEventListener("pointermove", move), { once: true });
  });
  edge.addEventListener("dblclick", () => put(narrow.matches ? "side-height" : "side-width", null));
  edge.addEventListener("keydown", (event) => {
    const side = root.querySelector(".side")!.getBoundingClientRect();
    if (event.key === "ArrowLeft") width(side.width + 20);
    else if (event.key === "ArrowRight") width(side.width - 20);
    else if (event.key === "ArrowUp" && narrow.matches) height(side.height + 20);
    else if (event.key === "ArrowDown" && narrow.matches) height(side.height - 20);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
