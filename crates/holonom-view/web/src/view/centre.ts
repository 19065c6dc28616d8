// The centre of mass of everything: the quartered disc of engineering drawings, always in front.

import { CanvasTexture, Object3D, Sprite, SpriteMaterial, SRGBColorSpace } from "three";
import type { Frame } from "../frame";
import type { OrbitCamera } from "./camera";
import { depth } from "./joints";
import type { Palette } from "./theme";

export class Centre {
  readonly group = new Object3D();
  private sprite: Sprite;
  private dark: boolean | null = null;

  constructor() {
    this.sprite = new Sprite(new SpriteMaterial({ depthTest: false, transparent: true }));
    this.sprite.renderOrder = 45;
    this.sprite.visible = false;
    this.group.add(this.sprite);
  }

  update(frame: Frame | null, shown: boolean, camera: OrbitCamera, palette: Palette): void {
    const part = frame?.parts.centre;
    const d = part?.data;
    this.sprite.visible = Boolean(shown && part && part.count > 0 && d && Number.isFinite(d[0] + d[1] + d[2]));
    if (!this.sprite.visible || !d) return;
    if (this.dark !== palette.dark) {
      this.dark = palette.dark;
      this.sprite.material.map?.dispose();
      this.sprite.material.map = disc();
      this.sprite.material.needsUpdate = true;
    }
    this.sprite.position.set(d[0], d[1], d[2]);
    this.sprite.scale.setScalar(22 * camera.pixelAt(depth(this.sprite.position, camera)));
  }
}

function disc(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const c = canvas.getContext("2d");
  if (c) {
    c.translate(32, 32);
    c.fillStyle = "#ffffff";
    c.beginPath();
    c.arc(0, 0, 27, 0, 2 * Math.PI);
    c.fill();
    c.fillStyle = "#1d262e";
    for (const from of [0, Math.PI]) {
      c.beginPath();
      c.moveTo(0, 0);
      c.arc(0, 0, 27, from, from + Math.PI / 2);
      c.fill();
    }
    c.lineWidth = 4;
    c.strokeStyle = "#1d262e";
    c.beginPath();
    c.arc(0, 0, 27, 0, 2 * Math.PI);
    c.stroke();
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}
