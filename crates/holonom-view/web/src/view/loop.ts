// Draws when there is something new, and no faster than the graphics can follow.
//
// A frame is drawn only after something has said `invalidate`, and only when the one before is done (a fence tells). Where the graphics are computed by the processor, which the simulation
// needs too: not before as much time has passed again as drawing took, coarser while things move and it takes long, and once more in fine when they stand still.

import type { WebGLRenderer } from "three";

export interface Cost {
  frames: number;
  update: number;
  render: number;
  gpu: number;
  calls: number;
  triangles: number;
}

const STILL = 350; // ms without anything new until the fine picture is drawn
const SLOW = 110; // ms: a frame that takes longer is drawn coarser

export class Loop {
  readonly cost: Cost = { frames: 0, update: 0, render: 0, gpu: 0, calls: 0, triangles: 0 };
  /** Are the graphics computed by the processor? */
  readonly software = drawnByProcessor();
  private wanted = false;
  private asked = 0;
  private timer = 0;
  private stillTimer = 0;
  private fence: WebGLSync | null = null;
  private began = 0;
  private notBefore = 0;
  private coarse = false;
  private fine = false;
  private gl: WebGL2RenderingContext | null;

  /** `update` brings the scene up to date and says whether it will change again by itself; `draw` draws it. */
  constructor(
    private renderer: WebGLRenderer | null,
    private update: (now: number) => boolean,
    private draw: () => void,
  ) {
    this.gl = renderer ? (renderer.getContext() as WebGL2RenderingContext) : null;
  }

  /** Pixels of the picture per pixel of the page. */
  ratio(): number {
    const device = window.devicePixelRatio || 1;
    if (!this.software) return Math.min(device, 1.5);
    return this.fine ? Math.max(1.5, Math.min(device, 2)) : this.coarse ? 0.75 : 1;
  }

  invalidate(): void {
    this.wanted = true;
    if (!this.asked && !this.timer) this.asked = requestAnimationFrame((now) => this.turn(now));
  }

  /** Draws now, whatever was drawn last. */
  now(fine = false): void {
    this.wanted = false;
    this.update(performance.now());
    this.drawAt(fine);
  }

  stop(): void {
    cancelAnimationFrame(this.asked);
    clearTimeout(this.timer);
    clearTimeout(this.stillTimer);
    this.asked = -1;
  }

  private drawAt(fine: boolean): void {
    this.fine = fine;
    const ratio = this.ratio();
    if (this.renderer && this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.draw();
  }

  private later(ms: number): void {
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      if (!this.asked) this.asked = requestAnimationFrame((now) => this.turn(now));
    }, ms);
  }

  private turn(now: number): void {
    if (this.asked === -1) return;
    this.asked = 0;
    if (this.fence && !this.fenceDone()) {
      this.later(4);
      return;
    }
    if (!this.wanted) return;
    const wait = this.notBefore - performance.now();
    if (wait > 3) {
      this.later(wait - 2);
      return;
    }
    this.wanted = false;
    const t0 = performance.now();
    const again = this.update(now);
    const t1 = performance.now();
    this.drawAt(false);
    const t2 = performance.now();
    this.began = t0;
    const c = this.cost;
    c.frames++;
    c.update += (t1 - t0 - c.update) * (c.frames < 3 ? 1 : 0.2);
    c.render += (t2 - t1 - c.render) * (c.frames < 3 ? 1 : 0.2);
    if (this.renderer) {
      c.calls = this.renderer.info.render.calls;
      c.triangles = this.renderer.info.render.triangles;
    }
    if (this.gl && !this.gl.isContextLost()) {
      this.fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      this.gl.flush();
      this.later(1);
    }
    if (again) this.invalidate();
    if (this.software) {
      clearTimeout(this.stillTimer);
      this.stillTimer = window.setTimeout(() => {
        if (!this.wanted) this.now(true);
      }, STILL + c.gpu);
    }
  }

  private fenceDone(): boolean {
    const { gl, fence } = this;
    if (!gl || !fence) return true;
    const overdue = performance.now() - this.began > 2000; // a lost context never signals
    if (!overdue && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
    gl.deleteSync(fence);
    this.fence = null;
    const took = performance.now() - this.began;
    const c = this.cost;
    c.gpu += (took - c.gpu) * (c.frames < 5 ? 1 : 0.2); // the first ones compile
    if (this.software) {
      this.notBefore = this.began + Math.max(30, 1.7 * took);
      if (c.frames > 5) this.coarse = this.coarse ? c.gpu > 0.45 * SLOW : c.gpu > SLOW;
    }
    return true;
  }
}

let processor: boolean | null = null;

/** Does the processor draw, for want of graphics hardware? The address may say otherwise: `?graphics=full` draws as with hardware, `?graphics=plain` as without. */
export function drawnByProcessor(): boolean {
  const said = new URLSearchParams(location.search).get("graphics");
  if (said === "full" || said === "plain") processor = said === "plain";
  if (processor === null) {
    const gl = document.createElement("canvas").getContext("webgl2");
    const info = gl?.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl?.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "");
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    processor = /swiftshader|llvmpipe|software|basic render/i.test(name);
  }
  return processor;
}
