// A small drawing of a scene for its card: lines as the program gives them, or a quiet blank.

import { h } from "./dom";

const WIDTH = 240;
const HEIGHT = 104;
const EDGE = 12;

/** Lines, each as x y x y ... in metres, y up; fitted into the card. */
export function sketch(lines: number[][] | undefined): HTMLElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("aria-hidden", "true");
  const xs = (lines ?? []).flatMap((l) => l.filter((_, i) => i % 2 === 0));
  const ys = (lines ?? []).flatMap((l) => l.filter((_, i) => i % 2 === 1));
  if (xs.length > 0) {
    const min = (a: number[]) => a.reduce((m, x) => Math.min(m, x), Infinity);
    const max = (a: number[]) => a.reduce((m, x) => Math.max(m, x), -Infinity);
    const [left, right, low, high] = [min(xs), max(xs), min(ys), max(ys)];
    const scale = Math.min((WIDTH - 2 * EDGE) / (right - left || 1), (HEIGHT - 2 * EDGE) / (high - low || 1));
    const x = (v: number) => (WIDTH / 2 + (v - (left + right) / 2) * scale).toFixed(1);
    const y = (v: number) => (HEIGHT / 2 - (v - (low + high) / 2) * scale).toFixed(1);
    for (const line of lines ?? []) {
      const path = document.createElementNS(space, "polyline");
      const points: string[] = [];
      for (let i = 0; i + 1 < line.length; i += 2) points.push(`${x(line[i]!)},${y(line[i + 1]!)}`);
      path.setAttribute("points", points.join(" "));
      svg.append(path);
    }
  }
  return h("span", { class: "sketch" }, svg as unknown as Node);
}
