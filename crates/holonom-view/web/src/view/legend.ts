// The corner that says what arrows and colours mean: a bar of a round number of units, as long as an arrow of that size at the middle of the scene.

import type { App } from "../app";
import type { Arrows, Unit } from "./arrows";
import type { OrbitCamera } from "./camera";
import { niceBelow } from "./stage";
import type { Palette } from "./theme";
import { figure } from "./units";
import type { Color } from "three";

export class Legend {
  private box = document.createElement("div");
  private shownText = "";
  private next = 0;

  constructor(
    host: HTMLElement,
    private app: App,
  ) {
    this.box.className = "v3-legend";
    host.append(this.box);
  }

  update(arrows: Arrows, camera: OrbitCamera, palette: Palette, now: number): void {
    const kinds = arrows.drawn.map((d) => d.text).join() + this.app.shown.structure;
    if (now < this.next && kinds === this.shownText) return; // figures change at most five times a second
    this.next = now + 200;
    this.shownText = kinds;
    const rows: HTMLElement[] = [];
    for (const unit of ["N", "N m", "m/s", "m/s²"] as Unit[]) {
      const scale = arrows.scale.get(unit);
      const mine = arrows.drawn.filter((d) => d.unit === unit);
      if (!scale || mine.length === 0) continue;
      const pixels = scale / camera.pixelAt(camera.distance); // per unit
      const amount = niceBelow(100 / pixels);
      const row = element("div", "v3-row");
      const bar = element("span", "v3-bar");
      bar.style.width = `${Math.max(8, Math.round(amount * pixels))}px`;
      bar.style.background = css(palette[mine[0].colour] as Color);
      const value = element("span", "v3-value", figure(amount, unit));
      const group = element("span", "v3-group");
      for (const d of mine) group.append(this.swatch(palette[d.colour] as Color, d.text));
      row.append(bar, value, group);
      rows.push(row);
    }
    if (arrows.dashedDrawn) rows.push(element("div", "v3-row", "Dashed, ≈: one of many possible, not unique"));
    if (this.app.shown.structure) {
      const row = element("div", "v3-row");
      const group = element("span", "v3-group");
      const joints = this.app.picture?.joints ?? [];
      const roles = [["primary", "Tree"], ["loop", "Closes a loop"], ["redundant", "Redundant"], ["inequality", "One-sided"]] as const;
      for (const [role, text] of roles) {
        const n = joints.filter((j) => j.role === role).length;
        if (n > 0) group.append(this.swatch(palette[role], `${text} ${n}`));
      }
      if (group.childElementCount > 0) {
        row.append(group);
        rows.push(row);
      }
    }
    this.box.replaceChildren(...rows);
  }

  private swatch(colour: Color, text: string): HTMLElement {
    const row = element("span", "v3-row");
    const dot = element("span", "v3-dot");
    dot.style.background = css(colour);
    row.append(dot, document.createTextNode(text));
    return row;
  }
}

function css(colour: Color): string {
  return `#${colour.getHexString()}`;
}

function element(name: string, className: string, text = ""): HTMLElement {
  const e = document.createElement(name);
  e.className = className;
  e.textContent = text;
  return e;
}
