// A scene in the address of the page: `#scene=NAME` for one of the gallery, `#s=...` for any, its name and text compressed. What stands behind # is never sent to a server.

import type { App } from "../app";
import type { Open } from "../panels/opening";
import type { Request } from "../protocol";
import type { WorkerLink } from "./link";

/** Longest text that is unpacked, bytes: a link may come from anybody. */
const MOST = 4 << 20;

async function through(bytes: Uint8Array<ArrayBuffer>, change: CompressionStream | DecompressionStream, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(change).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value as Uint8Array<ArrayBuffer>);
    length += piece.value.length;
    if (length > most) throw new Error(`it unpacks to more than ${most >> 20} MB`);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** The address of this page with a scene in it. */
export async function sceneLink(name: string, text: string): Promise<string> {
  const packed = await through(new TextEncoder().encode(`${name}\n${text}`), new CompressionStream("deflate-raw"), Infinity);
  const letters = btoa(Array.from(packed, (b) => String.fromCharCode(b)).join(""));
  const { origin, pathname, search, protocol } = location;
  const here = protocol === "file:" ? `file://${pathname}` : origin + pathname;
  return `${here}${search}#s=${letters.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** What the address asks for; null where it asks for nothing. */
export async function sceneOfAddress(hash: string): Promise<Request | null> {
  const named = /^#scene=([\w.-]+)$/.exec(hash);
  if (named) return { do: "open", scene: named[1]! };
  const packed = /^#s=([\w-]+)$/.exec(hash)?.[1];
  if (!packed) return null;
  const letters = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(Uint8Array.from(letters, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw"), MOST);
  const whole = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const end = whole.indexOf("\n");
  if (end < 1) throw new Error("there is no name in it");
  return { do: "open-text", name: whole.slice(0, end), text: whole.slice(end + 1) };
}

/** Follow the address, and keep the name of an unchanged scene of the gallery in it. */
export function followAddress(app: App, link: WorkerLink, open: Open, otherwise: Request[]): void {
  const wanted = () => sceneOfAddress(location.hash).catch((error: Error) => {
    app.emit("error", { message: `The link holds no scene: ${error.message}. Was it cut short?` });
    return null;
  });
  // while the engine is still being loaded: nothing else is seen before
  void wanted().then((request) => link.begin(request ? [request] : otherwise));
  window.addEventListener("hashchange", async () => {
    const request = await wanted();
    if (request && !(request.do === "open" && app.picture?.name === request.scene && !app.picture.can_undo)) await open(request);
  });
  app.on("picture", (picture) => {
    const last = app.lastOpened;
    const named = last?.do === "open" && last.scene === picture.name && !picture.can_undo && !picture.can_redo;
    // an address that tells of something else than what is seen tells nothing
    const told = named ? `#scene=${picture.name}` : location.hash.startsWith("#scene=") || picture.can_undo ? "" : location.hash;
    if (told !== location.hash) history.replaceState(null, "", told || location.pathname + location.search);
  });
}
