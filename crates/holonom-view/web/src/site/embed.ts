// The page inside another one, as in the chapters of the book: the view, play and pause, and nothing else. The page around it says what to open and asks, by messages; it is answered once for each.

import type { App } from "../app";
import { button, h } from "../panels/dom";
import type { Question, Request } from "../protocol";
import { sceneLink } from "./address";

/** What the page around this one says. */
export type ToEmbedded =
  | { holonom: true; id: number; open: Request; show: string[] }
  | { holonom: true; id: number; ask: Question }
  | { holonom: true; id: number; say: Request }
  /** From the start of the scene so many seconds, as fast as it goes; then it stands. */
  | { holonom: true; id: number; run: number }
  | { holonom: true; theme: "light" | "dark" };

/** What it hears: that the engine is there, how time stands, and answers. */
export type FromEmbedded =
  | { holonom: true; ready: true }
  | { holonom: true; playing: boolean }
  | { holonom: true; id: number; answer: unknown }
  | { holonom: true; id: number; failed: string; details: string | null };

interface Parts {
  app: App;
  view: HTMLElement;
}

export class Embedded {
  private playing: boolean | null = null;

  constructor(private parts: Parts) {
    const { app, view } = parts;
    document.documentElement.classList.add("embed");
    const open = button({ label: "Open this scene in the workbench", text: "Open in the workbench", class: "button small outline embed-open", testid: "embed-open", press: () => void this.openWhole() });
    view.append(h("div", { class: "embed-corner" }, open));
    window.addEventListener("message", (event) => {
      // the page around this one is the only one that is heard
      if (event.source === window.parent && (event.data as ToEmbedded | null)?.holonom === true) void this.hear(event.data as ToEmbedded);
    });
    app.on("connection", (state) => {
      if (state === "open") this.say({ holonom: true, ready: true });
    });
    app.on("frame", (frame) => {
      if (frame.playing !== this.playing) this.say({ holonom: true, playing: (this.playing = frame.playing) });
    });
  }

  private say(message: FromEmbedded): void {
    window.parent.postMessage(message, "*");
  }

  private async hear(message: ToEmbedded): Promise<void> {
    const { app } = this.parts;
    if ("theme" in message) {
      if (document.documentElement.dataset.theme !== message.theme) {
        document.documentElement.dataset.theme = message.theme;
        app.emit("theme", message.theme);
      }
      return;
    }
    try {
      let answer: unknown = null;
      if ("open" in message) await this.open(message.open, message.show);
      else if ("ask" in message) answer = await app.ask(message.ask);
      else if ("run" in message) answer = await this.run(message.run);
      else app.send(message.say);
      this.say({ holonom: true, id: message.id, answer });
    } catch (e) {
      const error = e as Error & { details?: string | null };
      this.say({ holonom: true, id: message.id, failed: error.message, details: error.details ?? null });
    }
  }

  /** Open a scene; done once it is seen, or failed with what the engine says of it. */
  private open(request: Request, shown: string[]): Promise<void> {
    const { app } = this.parts;
    app.show(Object.fromEntries(shown.filter((name) => name in app.shown).map((name) => [name, true])));
    const before = app.picture?.revision;
    return new Promise((resolve, reject) => {
      const ends: (() => void)[] = [];
      const end = (work: () => void) => () => {
        for (const stop of ends) stop();
        work();
      };
      ends.push(
        app.on("picture", (picture) => picture.revision !== before && end(resolve)()),
        app.on("error", ({ message, details }) => end(() => reject(Object.assign(new Error(message), { details })))()),
      );
      if (!app.send(request)) end(() => reject(new Error("the engine does not run")))();
    });
  }

  /** The tick at the start, and that at the end. */
  private async run(seconds: number): Promise<{ from: number; to: number }> {
    const { app } = this.parts;
    const until = (holds: () => boolean) => new Promise<void>((resolve, reject) => {
      const stop = app.on("frame", (frame) => {
        if (frame.stopped) {
          stop();
          reject(new Error(frame.stopped));
        } else if (holds()) {
          stop();
          resolve();
        }
      });
    });
    const picture = app.picture;
    if (!picture) throw new Error("there is no scene");
    app.send({ do: "release-all" });
    app.send({ do: "pause" });
    app.send({ do: "mode", mode: "dynamic" });
    app.send({ do: "method", method: "accurate" });
    const started = until(() => app.frame?.time === 0 && !app.frame.playing);
    app.send({ do: "reset" });
    await started;
    const from = app.frame!.tick;
    const ticks = Math.round(seconds / picture.tick);
    const done = until(() => app.frame!.tick >= from + ticks);
    app.send({ do: "step", ticks });
    await done;
    return { from, to: app.frame!.tick };
  }

  /** The scene as it is now, on a page of its own. */
  private async openWhole(): Promise<void> {
    const { name, text } = await this.parts.app.ask({ about: "scene" });
    const address = new URL(await sceneLink(name, text));
    address.searchParams.delete("embed");
    window.open(address.href, "_blank", "noopener");
  }
}
