// Draws when there is something new, and no faster than the graphics can follow.
//
// A frame is drawn only after something has said `invalidate`, only when the one before is done (a fence tells), and, where the graphics are computed by the processor
// that the simulation also needs, not before as much time has passed again as drawing took: half of it is left to others.

import type { WebGLRenderer } from "three";

export interface Cost {
  frames: number;
  update: number;
  render: number;
  gpu: number;
  calls: number;
  triangles: number;
}

export class Loop {
  readonly cost: Cost = { frames: 0, update: 0, render: 0, gpu: 0, calls: 0, triangles: 0 };
  /** Are the graphics computed by the processor? */
  readonly software: boolean;
  private wanted = false;
  private asked = 0;
  private timer = 0;
  private fence: WebGLSync | null = null;
  private began = 0;
  private notBefore = 0;
  private gl: WebGL2RenderingContext | null;

  /** `update` brings the scene up to date and says whether it will change again by itself; `draw` draws it. */
  constructor(
    private renderer: WebGLRenderer | null,
    private update: (now: number) => boolean,
    private draw: () => void,
  ) {
    this.gl = renderer ? (renderer.getContext() as WebGL2RenderingContext) : null;
    this.software = /swiftshader|llvmpipe|software|basic render/i.test(graphicsName(this.gl));
  }

  invalidate(): void {
    this.wanted = true;
    if (!this.asked && !this.timer) this.asked = requestAnimationFrame((now) => this.turn(now));
  }

  /** Draws now, whatever was drawn last. */
  now(): void {
    this.wanted = false;
    this.update(performance.now());
    this.draw();
  }

  stop(): void {
    cancelAnimationFrame(this.asked);
    clearTimeout(this.timer);
    this.asked = -1;
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
    this.draw();
    const t2 = performance.now();
    this.began = t0;
    const c = this.cost;
    c.frames++;
    c.update += (t1 - t0 - c.update) * (c.frames === 1 ? 1 : 0.2);
    c.render += (t2 - t1 - c.render) * (c.frames === 1 ? 1 : 0.2);
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
  }

  private fenceDone(): boolean {
    const { gl, fence } = this;
    if (!gl || !fence) return true;
    const overdue = performance.now() - this.began > 2000; // a lost context never signals
    if (!overdue && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
    gl.deleteSync(fence);
    this.fence = null;
    const took = performance.now() - this.began;
    this.cost.gpu += (took - this.cost.gpu) * (this.cost.frames < 3 ? 1 : 0.2);
    this.notBefore = this.software ? this.began + Math.max(30, 1.6 * took) : 0;
    return true;
  }
}

function graphicsName(gl: WebGL2RenderingContext | null): string {
  if (!gl) return "";
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "");
}
