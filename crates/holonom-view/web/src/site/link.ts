// The connection to an engine in this page: the messages of the socket, by way of a Web Worker. It cannot be lost, but it can end: then another is started, with the scene as it was last.

import type { App } from "../app";
import { decodeFrame } from "../frame";
import type { Link } from "../link";
import type { Reply, Request } from "../protocol";
import type { FileKind, FromEngine, ToEngine } from "./engine";

/** The script of the worker: put in by build.mjs where the page is built for the site. */
declare const ENGINE_SCRIPT: string;

/** Where the engine is: beside the page, or, in a page that is a single file, in it. */
function engineSource(): string | ArrayBuffer {
  const carried = document.getElementById("engine")?.textContent;
  if (!carried) return new URL("engine.bin", document.baseURI).href;
  return Uint8Array.from(atob(carried), (c) => c.charCodeAt(0)).buffer;
}

export class WorkerLink implements Link {
  readonly alone = true;
  readonly refused = false;
  roundTrip = NaN;
  ended: string | null = null;
  /** What to open when another engine is there after one has ended. */
  opening: (() => Request | null) | null = null;
  private began = false;
  private worker: Worker | null = null;
  private files = new Map<number, { resolve: (file: Blob) => void; reject: (e: Error) => void }>();
  private nextFile = 1;
  private pinged = new Map<number, number>();
  private ping = 0;
  private wants = new Map<"show" | "watch", Request>();

  constructor(private app: App) {
    app.transmit = (request) => this.transmit(request);
    this.retry();
    window.setInterval(() => this.measure(), 1000);
  }

  /** The first requests: they wait for the engine. */
  begin(requests: Request[]): void {
    for (const request of requests) {
      if (request.do === "open" || request.do === "open-text") this.app.lastOpened = request;
      this.worker?.postMessage(JSON.stringify(request));
    }
  }

  retry(): void {
    if (this.worker) return;
    this.ended = null;
    const script = URL.createObjectURL(new Blob([ENGINE_SCRIPT], { type: "text/javascript" }));
    const worker = new Worker(script);
    URL.revokeObjectURL(script);
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<string | ArrayBuffer | FromEngine>) => this.receive(data);
    worker.onerror = (event) => this.end(event.message || "the worker could not be started");
    this.say({ start: engineSource() });
  }

  file(kind: FileKind): Promise<Blob> {
    return new Promise((resolve, reject) => {
      if (!this.worker) return reject(new Error("the engine has stopped"));
      const id = this.nextFile++;
      this.files.set(id, { resolve, reject });
      this.say({ file: kind, id });
    });
  }

  private say(message: ToEngine): void {
    this.worker?.postMessage(message);
  }

  private receive(data: string | ArrayBuffer | FromEngine): void {
    if (typeof data === "string") this.hear(JSON.parse(data) as Reply);
    else if (data instanceof ArrayBuffer) {
      this.say({ taken: true });
      this.app.see(decodeFrame(data));
    } else if ("ended" in data) this.end(data.ended);
    else {
      const asked = this.files.get(data.id);
      this.files.delete(data.id);
      if ("handed" in data) asked?.resolve(new Blob([data.handed]));
      else asked?.reject(new Error(data.refused));
    }
  }

  private hear(reply: Reply): void {
    if (reply.say === "welcome") {
      this.app.setConnection("open");
      for (const request of this.wants.values()) this.transmit(request);
      const request = this.began ? this.opening?.() : null;
      this.began = true;
      if (request) this.transmit(request);
    }
    if (reply.say === "pong") {
      const sent = this.pinged.get(reply.id);
      this.pinged.delete(reply.id);
      if (sent !== undefined) this.roundTrip = performance.now() - sent;
    }
    this.app.hear(reply);
    const frame = this.app.frame;
    if (reply.say === "picture" && frame?.revision === reply.revision) this.app.see(frame);
  }

  private end(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    this.ended = why;
    this.roundTrip = NaN;
    this.pinged.clear();
    for (const { reject } of this.files.values()) reject(new Error("the engine has stopped"));
    this.files.clear();
    this.app.setConnection("lost");
  }

  private transmit(request: Request): boolean {
    if (request.do === "show" || request.do === "watch") this.wants.set(request.do, request);
    if (!this.worker || this.app.connection !== "open") return false;
    this.worker.postMessage(JSON.stringify(request));
    return true;
  }

  private measure(): void {
    if (this.pinged.size > 50) this.pinged.clear();
    this.pinged.set(++this.ping, performance.now());
    this.transmit({ do: "ping", id: this.ping });
  }
}
