// The bar at the top: the scene, the tools, how the mechanism answers, the strength of the hand, and switches of the page.

import type { App, Tool } from "../app";
import type { Link } from "../link";
import type { Frame } from "../frame";
import type { MotionMode } from "../protocol";
import { createCap } from "./cap";
import { button, h, icon, segments, setClass, setShown, setText } from "./dom";
import type { Keys } from "./keys";
import type { Layout } from "./layout";
import { switchTheme, theme } from "./theme";

export const TOOLS: [Tool, string, string, string][] = [
  ["drag", "Drag", "d", "Pull a point of a body, with a force up to the cap"],
  ["push", "Push", "p", "Push a point of a body with a constant force"],
  ["twist", "Twist", "t", "Turn a body with a constant torque"],
  ["trail", "Trace", "r", "Press a point of a body to draw where it goes; press it again to stop"],
  ["jog", "Jog", "j", "Move a tool point with keys; the motors follow"],
  ["build", "Build", "b", "Add bodies, join and change them"],
];

const MODES: [MotionMode, string, string][] = [
  ["dynamic", "Dynamic", "Full motion: forces, inertia, gravity (f = m a)"],
  ["quasi-static", "Quasi-static", "In thick honey: whatever moves comes to rest at once"],
  ["kinematic", "Kinematic", "Through legal poses only, without gravity and inertia (f = m v)"],
];

export interface TopBar {
  scene: HTMLButtonElement;
  see: HTMLButtonElement;
  downloads: HTMLButtonElement;
  help: HTMLButtonElement;
  /** Tools, modes, the hand. */
  tools: HTMLElement;
}

export function createTopBar(app: App, layout: Layout, link: Link, keys: Keys): TopBar {
  const scene = h("button", { class: "button scene-button", type: "button", testid: "scene", title: "Open another scene (o)", label: "Scene: open another" });
  const title = h("span", { class: "scene-title", text: "No scene" });
  scene.append(title, icon("down"));
  app.on("picture", (p) => {
    setText(title, p.title || p.name || "Untitled");
    document.title = `${p.title || p.name || "Untitled"} – holonom`;
    scene.setAttribute("aria-label", `${title.textContent}: the scene; open another`);
    scene.title = `${p.title || p.name}${p.description ? `\n${p.description}` : ""}\n\nOpen another scene (o)`;
  });

  const see = button({ label: "What is drawn", icon: "eye", text: "View", class: "button", testid: "see", press: () => {} });
  const downloads = button({ label: "Downloads", icon: "download", class: "button icon-button", testid: "downloads", press: () => {} });
  const help = button({ label: "Keys and help (?)", icon: "help", class: "button icon-button", testid: "help", press: () => {} });
  const side = button({ label: "Show or hide the panel (\\)", icon: "panel", class: "button icon-button", testid: "side-toggle", press: () => layout.toggle() });
  layout.onTab((tab) => side.setAttribute("aria-pressed", String(tab !== null)));

  const toolbar = h("div", { class: "top-tools" }, tools(app, keys), ...modes(app), createCap(app));
  layout.top.append(
    h("div", { class: "top-scene" }, h("span", { class: "word", text: "holonom" }), scene),
    toolbar,
    h("div", { class: "top-rest" }, hands(app), connection(app, link), see, downloads, themeButton(app), help, side),
  );
  keys.add({ key: "\\", shown: "\\", does: "show or hide the panel", group: "Page", press: () => layout.toggle() });
  return { scene, see, downloads, help, tools: toolbar };
}

function tools(app: App, keys: Keys): HTMLElement {
  const group = segments("Tool", "tools", TOOLS.map(([tool, text, key, does]) => ({
    value: tool,
    button: button({ label: `${text} (${key})`, title: `${text} (${key}): ${does}`, icon: tool, text, class: "segment", testid: `tool-${tool}`, press: () => app.setTool(tool) }),
  })));
  app.on("tool", group.put);
  group.put(app.tool);
  for (const [tool, text, key, does] of TOOLS) keys.add({ key, shown: key, does: `${text.toLowerCase()}: ${does.charAt(0).toLowerCase()}${does.slice(1)}`, group: "Tools", press: () => app.setTool(tool) });
  return group.node;
}

/** Buttons, and for narrow windows a menu. */
function modes(app: App): HTMLElement[] {
  const group = segments("How the mechanism answers", "modes", MODES.map(([mode, text, title]) => ({
    value: mode,
    button: button({ label: text, title: `${text}: ${title}`, text, class: "segment", testid: `mode-${mode}`, press: () => app.send({ do: "mode", mode }) }),
  })));
  const menu = h("select", { class: "select modes-menu", testid: "mode-menu", label: "How the mechanism answers" });
  for (const [value, text, title] of MODES) menu.append(h("option", { text, title, attrs: { value } }));
  menu.addEventListener("change", () => app.send({ do: "mode", mode: menu.value as MotionMode }));
  let last: MotionMode | null = null;
  app.on("frame", (frame: Frame) => {
    if (frame.mode === last) return;
    last = frame.mode;
    group.put(last);
    menu.value = last;
  });
  return [group.node, menu];
}

/** Hands that stay where they were left, everybody's. */
function hands(app: App): HTMLElement {
  const count = h("span", { class: "num", testid: "pinned-count" });
  const free = button({ label: "Let go of all pinned hands", icon: "hand", class: "button hands", testid: "release-all", press: () => app.send({ do: "release-all" }) });
  free.append(h("span", { class: "words", text: "Let go of" }), count);
  free.hidden = true;
  app.on("frame", (frame) => {
    const pinned = frame.hands.filter((hand) => hand.pinned).length;
    setShown(free, pinned > 0);
    setText(count, String(pinned));
    free.title = `${pinned} pinned ${pinned === 1 ? "hand stays" : "hands stay"} where ${pinned === 1 ? "it is" : "they are"}: let go of all`;
  });
  return free;
}

function themeButton(app: App): HTMLElement {
  const b = button({ label: "Light or dark", class: "button icon-button", testid: "theme", press: () => switchTheme(app) });
  const draw = () => b.replaceChildren(icon(theme() === "dark" ? "sun" : "moon"));
  app.on("theme", draw);
  draw();
  return b;
}

/** A dot that says whether the program is there, and how fast it answers. */
function connection(app: App, link: Link): HTMLElement {
  const text = h("span", { class: "link-text" });
  const node = h("span", { class: "link", role: "status", testid: "connection" }, h("span", { class: "dot" }), text);
  const draw = () => {
    const open = app.connection === "open";
    if (link.alone) {
      // in this page: there is nothing to be connected to, and nothing to tell of it
      setShown(node, !open);
      setText(text, app.connection === "lost" ? "stopped" : "starting");
      setClass(node, "bad", app.connection === "lost");
      node.dataset.state = app.connection;
      node.title = app.connection === "lost" ? "The engine has stopped" : "The engine is being loaded";
      return;
    }
    setClass(node, "good", open);
    setClass(node, "bad", app.connection === "lost");
    const delay = Number.isFinite(link.roundTrip) ? `${link.roundTrip < 10 ? link.roundTrip.toFixed(1) : Math.round(link.roundTrip)} ms` : "connected";
    const others = (app.frame?.clients ?? 1) - 1;
    setText(text, open ? `${delay}${others > 0 ? ` · ${others + 1} people` : ""}` : app.connection === "lost" ? "lost" : "connecting");
    node.dataset.state = app.connection;
    node.title = open ? `Connected to holonom ${app.version}; time to answer: ${delay}` : "Not connected to the program";
  };
  app.on("connection", draw);
  window.setInterval(draw, 1000);
  draw();
  return node;
}
