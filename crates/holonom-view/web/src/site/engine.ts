// The engine in a Web Worker: holonom-wasm, with the messages of the socket on both sides. The functions that it has and wants are told in crates/holonom-wasm/src/lib.rs.
//
// From the page come: texts (requests), and objects (ToEngine). To the page go: texts (replies), buffers (frames), and objects (FromEngine). As over the socket only the newest
// frame is sent: the page says when it has taken one, and those that come before that replace each other.

import { unpack } from "./unpack";

export type FileKind = "scene" | "inputs" | "numbers";

export type ToEngine =
  /** First of all: where the engine is, or its bytes, packed. */
  | { start: string | ArrayBuffer }
  | { file: FileKind; id: number }
  /** The last frame was taken. */
  | { taken: true };

export type FromEngine = { handed: Uint8Array<ArrayBuffer>; id: number } | { refused: string; id: number } | { ended: string };

interface Exports {
  memory: WebAssembly.Memory;
  start(): void;
  room(n: number): number;
  hear(): void;
  turn(): void;
  fetch(what: number): void;
}

const FRAME = 1000 / 60;
const KINDS: FileKind[] = ["scene", "inputs", "numbers"];
const page = self as unknown as { postMessage(message: string | ArrayBuffer | FromEngine, transfer?: Transferable[]): void; onmessage: (event: MessageEvent<string | ToEngine>) => void };

let engine: Exports | null = null;
/** What was said before the engine was there. */
let early: (string | ToEngine)[] = [];
let ended = false;
/** Is a frame on its way, and the one that waits behind it. */
let underWay = false;
let newest: ArrayBuffer | null = null;
let handed: Uint8Array<ArrayBuffer> | null = null;
let failed = "";
let next = 0;

const bytes = (place: number, n: number): Uint8Array<ArrayBuffer> => new Uint8Array(engine!.memory.buffer as ArrayBuffer, place, n);
const text = (place: number, n: number): string => new TextDecoder().decode(bytes(place, n));

const host = {
  now: () => performance.now() / 1000,
  said: (place: number, n: number) => page.postMessage(text(place, n)),
  shown: (place: number, n: number) => {
    newest = bytes(place, n).slice().buffer;
  },
  handed: (place: number, n: number) => {
    handed = bytes(place, n).slice();
  },
  failed: (place: number, n: number) => {
    failed = text(place, n);
  },
};

/** Call the engine. A trap ends it: its memory may be anything. */
function call(work: (engine: Exports) => void): void {
  if (!engine || ended) return;
  try {
    work(engine);
  } catch (e) {
    ended = true;
    page.postMessage({ ended: failed || String(e) });
    return;
  }
  show();
}

function show(): void {
  if (underWay || !newest) return;
  const frame = newest;
  newest = null;
  underWay = true;
  page.postMessage(frame, [frame]);
}

function turn(): void {
  call((e) => e.turn());
  const now = performance.now();
  next = Math.max(next + FRAME, now);
  if (!ended) setTimeout(turn, next - now);
}

function hear(message: string | ToEngine): void {
  if (typeof message === "string") {
    call((e) => {
      const said = new TextEncoder().encode(message);
      const place = e.room(said.length);
      bytes(place, said.length).set(said);
      e.hear();
    });
  } else if ("file" in message) {
    handed = null;
    failed = "";
    call((e) => e.fetch(KINDS.indexOf(message.file)));
    if (handed) page.postMessage({ handed, id: message.id }, [(handed as Uint8Array<ArrayBuffer>).buffer]);
    else page.postMessage({ refused: failed || "the engine has stopped", id: message.id });
    handed = null;
  } else if ("taken" in message) {
    underWay = false;
    show();
  }
}

async function start(from: string | ArrayBuffer): Promise<void> {
  try {
    let packed = from;
    if (typeof packed === "string") {
      const response = await fetch(packed);
      if (!response.ok) throw new Error(`${packed}: ${response.status} ${response.statusText}`);
      packed = await response.arrayBuffer();
    }
    const { instance } = await WebAssembly.instantiate(unpack(new Uint8Array(packed)), { host });
    engine = instance.exports as unknown as Exports;
  } catch (e) {
    ended = true;
    page.postMessage({ ended: `the engine could not be loaded: ${(e as Error).message}` });
    return;
  }
  call((e) => e.start());
  const waiting = early;
  early = [];
  for (const message of waiting) hear(message);
  next = performance.now();
  turn();
}

page.onmessage = ({ data }) => {
  if (typeof data !== "string" && "start" in data) void start(data.start);
  else if (!engine) early.push(data);
  else hear(data);
};
