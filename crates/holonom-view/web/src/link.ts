// The connection to the program: one WebSocket. Frames and texts go to the shared state; requests of all parts go out. A lost connection
// is tried again, after 0.25 s at first and up to 4 s later. After it is back, the program is told anew what this page wants to see:
// its hands are gone by then (the program lets go of everything that a vanished page held).

import type { App } from "./app";
import { decodeFrame } from "./frame";
import type { Reply, Request } from "./protocol";
import type { FileKind } from "./site/engine";
import { WorkerLink } from "./site/link";

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 4000;
/** Pings of a page that holds something, ms. The program takes hands away after 250 ms of silence. */
const HOLDING = 100;
const IDLE = 1000;
/** Unsent bytes beyond which moves of hands are left out: the next one says the same better. */
const CROWDED = 64 * 1024;

export interface Link {
  /** Time from a ping to its answer, ms; NaN before the first. */
  readonly roundTrip: number;
  /** The program runs but does not know this page: it was started again, with another token. */
  readonly refused: boolean;
  /** Does the engine run in this page? Then nobody else looks at it, and there is no program. */
  readonly alone: boolean;
  /** Why there is no answer any more, where that is known. */
  readonly ended: string | null;
  /** Try at once. */
  retry(): void;
  /** Something to keep: the scene (TOML), the inputs (JSON lines), recorded numbers (CSV). */
  file(kind: FileKind): Promise<Blob>;
}

const FILES: Record<FileKind, string> = { scene: "/files/scene.toml", inputs: "/files/inputs.jsonl", numbers: "/files/recording.csv" };

class WebLink implements Link {
  readonly alone = false;
  readonly ended = null;
  roundTrip = NaN;
  refused = false;
  private socket: WebSocket | null = null;
  private pause = FIRST_PAUSE;
  private again = 0;
  private held = new Set<number>();
  private pinged = new Map<number, number>();
  private lastPing = 0;
  private pingNumber = 0;
  /** The latest lists of what is wanted, said again after a reconnect. */
  private wants = new Map<"show" | "watch", Request>();

  constructor(private app: App) {
    app.transmit = (request) => this.transmit(request);
    this.connect();
    window.setInterval(() => this.tick(), HOLDING);
    window.addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retry();
    });
  }

  retry(): void {
    if (this.socket) return;
    window.clearTimeout(this.again);
    this.pause = FIRST_PAUSE;
    this.connect();
  }

  async file(kind: FileKind): Promise<Blob> {
    const response = await fetch(FILES[kind], { cache: "no-store" });
    if (!response.ok) throw new Error((await response.text()).trim());
    return response.blob();
  }

  private connect(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.refused = false;
      this.pinged.clear();
      this.app.setConnection("open");
      for (const request of this.wants.values()) this.transmit(request);
    };
    socket.onmessage = (event) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = () => this.lost(socket);
  }

  private lost(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    this.held.clear();
    this.roundTrip = NaN;
    this.app.setConnection("lost");
    void this.probe();
    this.again = window.setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }

  /** A refused WebSocket does not say why; a plain request does. */
  private async probe(): Promise<void> {
    try {
      const response = await fetch("/", { method: "HEAD", cache: "no-store" });
      const refused = response.status === 401 || response.status === 403;
      if (this.socket?.readyState === WebSocket.OPEN || refused === this.refused) return;
      this.refused = refused;
      this.app.setConnection("lost");
    } catch {
      // nobody answers: the program is not running
    }
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      this.app.see(decodeFrame(data));
      return;
    }
    const reply = JSON.parse(data) as Reply;
    if (reply.say === "pong") {
      const sent = this.pinged.get(reply.id);
      this.pinged.delete(reply.id);
      if (sent !== undefined) this.roundTrip = performance.now() - sent;
    }
    this.app.hear(reply);
    // a frame may come before the picture that it belongs to, and while time stands still no other follows
    const frame = this.app.frame;
    if (reply.say === "picture" && frame?.revision === reply.revision) this.app.see(frame);
  }

  private transmit(request: Request): boolean {
    if (request.do === "show" || request.do === "watch") this.wants.set(request.do, request);
    const socket = this.socket;
    if (!socket || socket.readyState !== WebSocket.OPEN) return false;
    if (request.do === "move" && socket.bufferedAmount > CROWDED) return true;
    socket.send(JSON.stringify(request));
    this.note(request);
    return true;
  }

  /** What this page holds: a page that holds something has to be heard of often. */
  private note(request: Request): void {
    switch (request.do) {
      case "grab":
      case "push":
      case "twist":
        this.held.add(request.hand);
        break;
      case "release":
        if (request.client === undefined || request.client === this.app.client) this.held.delete(request.hand);
        break;
      case "pin":
        this.held.delete(request.hand);
        break;
      case "release-all":
      case "open":
      case "open-text":
      case "new":
        this.held.clear();
        break;
      case "jog":
        // a running jog is held as well; its stop is a velocity of zero
        if (request.velocity.some((x) => x !== 0)) this.held.add(-1);
        else this.held.delete(-1);
        break;
    }
  }

  private tick(): void {
    const now = performance.now();
    if (!this.socket || this.socket.readyState !== WebSocket.OPEN) return;
    if (this.held.size === 0 && now - this.lastPing < IDLE) return;
    this.lastPing = now;
    const id = (this.pingNumber = (this.pingNumber + 1) >>> 0);
    if (this.pinged.size > 50) this.pinged.clear();
    this.pinged.set(id, now);
    this.transmit({ do: "ping", id });
  }
}

/** Is this page the one of the site, with the engine beside it or in it? */
const SITE = document.querySelector("meta[name=holonom-site]") !== null;

/** Connects the shared state to the program, or to an engine of the page's own. */
export function createLink(app: App): Link {
  return SITE ? new WorkerLink(app) : new WebLink(app);
}
