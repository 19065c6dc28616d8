// Words over the view: names of bodies and joints on demand, the name under the pointer, and figures beside hands. At most sixty at a time, nearest first, never on top of each other.

import { Vector3 } from "three";

export interface Label {
  text: string;
  at: Vector3;
  /** Pixels to the right of and below the place. */
  offset?: [number, number];
  style?: "" | "v3-joint" | "v3-strong" | "v3-strong v3-hot";
  /** Goes first and is drawn whatever it covers. */
  always?: boolean;
}

const MOST = 60;

export class Labels {
  private pool: HTMLElement[] = [];
  private widths = new Map<string, number>();
  private ruler: CanvasRenderingContext2D | null;

  constructor(private host: HTMLElement) {
    this.ruler = document.createElement("canvas").getContext("2d");
    if (this.ruler) this.ruler.font = "600 12px system-ui, sans-serif";
  }

  /** Shows these and no others. `project` gives pixels within the host and the depth (m), not positive behind the camera. */
  show(labels: Label[], project: (at: Vector3) => { x: number; y: number; depth: number }): void {
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    const seen = labels
      .map((label) => ({ label, ...project(label.at) }))
      .filter(({ x, y, depth }) => depth > 0 && x > -40 && y > -20 && x < width + 40 && y < height + 20)
      .sort((a, b) => Number(b.label.always ?? false) - Number(a.label.always ?? false) || a.depth - b.depth);
    const taken: [number, number, number, number][] = [];
    let used = 0;
    for (const { label, x, y } of seen) {
      if (used >= MOST) break;
      const w = this.measure(label.text) + 10;
      const [dx, dy] = label.offset ?? [8, -18];
      const left = Math.round(label.always ? Math.max(2, Math.min(x + dx, width - w - 2)) : x + dx);
      const top = Math.round(label.always ? Math.max(2, Math.min(y + dy, height - 20)) : y + dy);
      const box: [number, number, number, number] = [left, top, left + w, top + 18];
      if (!label.always && taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3])) continue;
      taken.push(box);
      const element = this.pool[used] ?? this.make();
      used++;
      if (element.textContent !== label.text) element.textContent = label.text;
      const style = `v3-label ${label.style ?? ""}`;
      if (element.className !== style) element.className = style;
      element.style.transform = `translate(${left}px, ${top}px)`;
      element.hidden = false;
    }
    for (let k = used; k < this.pool.length; k++) this.pool[k].hidden = true;
  }

  private make(): HTMLElement {
    const element = document.createElement("div");
    element.hidden = true;
    this.host.append(element);
    this.pool.push(element);
    return element;
  }

  private measure(text: string): number {
    let w = this.widths.get(text);
    if (w === undefined) {
      if (this.widths.size > 4000) this.widths.clear();
      w = this.ruler?.measureText(text).width ?? 7 * text.length;
      this.widths.set(text, w);
    }
    return w;
  }
}
