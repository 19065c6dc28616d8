// Colours of the view, light and dark. What the page's own style says (`--accent`, `--view-…`) goes first.

import { Color } from "three";

export interface Palette {
  dark: boolean;
  skyTop: Color;
  skyBottom: Color;
  grid: Color;
  gridMajor: Color;
  ground: Color;
  fixed: Color;
  shadow: number;
  bodies: Color[];
  accent: Color;
  warn: Color;
  primary: Color;
  loop: Color;
  redundant: Color;
  inequality: Color;
  drive: Color;
  joint: Color;
  broken: Color;
  reaction: Color;
  torque: Color;
  applied: Color;
  contact: Color;
  velocity: Color;
  acceleration: Color;
  hand: Color;
  saturated: Color;
  force: Color;
  text: string;
  halo: string;
}

const LIGHT = {
  skyTop: "#dfe5ea",
  skyBottom: "#f6f7f8",
  grid: "#b9c2ca",
  gridMajor: "#8f9ca8",
  ground: "#e6e9eb",
  fixed: "#a9b0b6",
  accent: "#1668c7",
  warn: "#c2571a",
  primary: "#2f6f9f",
  loop: "#b5791b",
  redundant: "#b23a48",
  inequality: "#6b7680",
  drive: "#2c8a5b",
  joint: "#44525f",
  broken: "#9aa1a7",
  reaction: "#c2571a",
  torque: "#8a4fb0",
  applied: "#2c8a5b",
  contact: "#b23a48",
  velocity: "#1668c7",
  acceleration: "#a8327e",
  hand: "#1668c7",
  saturated: "#c62f2f",
  force: "#5d7f52",
};

const DARK: typeof LIGHT = {
  skyTop: "#1b2127",
  skyBottom: "#262d34",
  grid: "#4a5661",
  gridMajor: "#66757f",
  ground: "#2b3238",
  fixed: "#6b747c",
  accent: "#5aa6f5",
  warn: "#f0934e",
  primary: "#6fb1dd",
  loop: "#e0b054",
  redundant: "#ec7480",
  inequality: "#95a1ab",
  drive: "#62c592",
  joint: "#c3ced8",
  broken: "#717a82",
  reaction: "#f0934e",
  torque: "#c58ce6",
  applied: "#62c592",
  contact: "#ec7480",
  velocity: "#5aa6f5",
  acceleration: "#e87cc0",
  hand: "#5aa6f5",
  saturated: "#ff6b62",
  force: "#98bd8b",
};

// Steel, slate, sage, sand, mauve, teal, rose, olive: alike in weight, told apart by hue.
const BODIES_LIGHT = ["#7f99b2", "#a79a84", "#7fa396", "#9a8fab", "#6c84a0", "#b08f8b", "#6f9aa5", "#989c78"];
const BODIES_DARK = ["#8aa6c1", "#b5a78f", "#89b0a2", "#a99dbb", "#7893b2", "#bf9c97", "#7aa8b4", "#a6aa83"];

export function currentTheme(): "light" | "dark" {
  const said = document.documentElement.dataset.theme;
  if (said === "light" || said === "dark") return said;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function palette(theme: "light" | "dark" = currentTheme()): Palette {
  const dark = theme === "dark";
  const base = dark ? DARK : LIGHT;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: keyof typeof LIGHT): Color => {
    const kebab = name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
    const said = style.getPropertyValue(`--view-${kebab}`).trim() || (name === "accent" ? style.getPropertyValue("--accent").trim() : "");
    // only what three can read; anything else (oklch, var) would warn and turn white
    return new Color(/^#[0-9a-f]{3,6}$/i.test(said) ? said : base[name]);
  };
  const colours = Object.fromEntries(
    (Object.keys(LIGHT) as (keyof typeof LIGHT)[]).map((name) => [name, colour(name)]),
  ) as Record<keyof typeof LIGHT, Color>;
  return {
    ...colours,
    dark,
    shadow: dark ? 0.42 : 0.2,
    bodies: (dark ? BODIES_DARK : BODIES_LIGHT).map((c) => new Color(c)),
    text: dark ? "#e8edf1" : "#1d262e",
    halo: dark ? "rgba(24,29,34,0.82)" : "rgba(255,255,255,0.86)",
  };
}
