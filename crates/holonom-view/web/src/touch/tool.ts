// What a tool of the pointer is: it may take a press, and then owns the pointer until it is let go.

import type { App } from "../app";
import type { BodyPick } from "../view";

/** Where the pointer is, client coordinates, and what is held down with it. */
export interface Pointer {
  x: number;
  y: number;
  shift: boolean;
  alt: boolean;
  touch: boolean;
}

export interface PointerTool {
  /** Takes the press (true), or leaves it to the camera (false). `body` is what lies under the pointer. */
  down(p: Pointer, body: BodyPick | null): boolean;
  move(p: Pointer): void;
  /** `click` if the pointer was hardly moved. */
  up(p: Pointer, click: boolean): void;
  /** The press was taken away: another window, a second finger, Escape. */
  cancel(): void;
  /** The wheel, while held; positive is towards the person. True if it was used. */
  wheel?(steps: number): boolean;
  /** A key, while held or not; true if it was used. */
  key?(e: KeyboardEvent, down: boolean): boolean;
  /** The second button, while held. */
  second?(): void;
  /** A press twice in the same place. */
  twice?(p: Pointer, body: BodyPick | null): boolean;
  /** Moving without a press; true if the tool says itself what is under the pointer. */
  hover?(p: Pointer): boolean;
}

/** Numbers of hands: unique in this page. */
let last = 0;
export function nextHand(): number {
  last = (last % 1_000_000) + 1;
  return last;
}

/**
 * Where nothing moves by itself (quasi-static, kinematic), what is held follows the hand although time stands still: time goes on while it is held, and stands again after it.
 */
export class Wakefulness {
  private woke = false;
  constructor(private app: App) {}

  begin(): void {
    const { frame } = this.app;
    if (frame && !frame.playing && frame.mode !== "dynamic") this.woke = this.app.send({ do: "play" });
  }
  end(): void {
    if (this.woke) this.app.send({ do: "pause" });
    this.woke = false;
  }
}

/** A silence after which the program may have taken the hand away, ms; and for how long frames may not tell yet. */
const LATE = 150;
const DOUBT = 800;

/**
 * Says something again every 80 ms while something is held: who says nothing for a quarter of a second is taken to be gone. A page that was too busy for that is told that its
 * hand may be lost.
 */
export class KeepAlive {
  private timer = 0;
  private asked = 0;
  private said = 0;
  private doubt = 0;
  constructor(private tell: (doubtful: boolean) => void) {}

  private say(): void {
    const now = performance.now();
    if (now - this.said > LATE) this.doubt = now + DOUBT;
    this.said = now;
    this.tell(now < this.doubt);
  }

  /** At the next frame, once. */
  soon(): void {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      if (this.timer) this.say();
    });
  }
  start(): void {
    this.stop();
    this.said = performance.now();
    this.doubt = 0;
    this.timer = window.setInterval(() => this.say(), 80);
  }
  stop(): void {
    window.clearInterval(this.timer);
    cancelAnimationFrame(this.asked);
    this.timer = this.asked = 0;
  }
}
