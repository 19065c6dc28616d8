// A mechanism in the text: the page of the site in a frame, begun when it is scrolled into view or pressed. Engines need memory: no more than a few run at once, and those that were looked at
// longest ago give way.

import type { Answers, BacklogAnswer, Question, Request } from "../protocol";
import type { FromEmbedded, ToEmbedded } from "../site/embed";

/** Mechanisms that run at once. */
const MOST = 2;
/** So long it has to be in view before it begins by itself, ms: not for everybody who scrolls past. */
const DWELL = 500;

/** From this page to the folder of the site. */
const up = document.body.dataset.up ?? "../";

/** Where the page is: opened from a disk it has to carry its engine with it. */
const address = `${up}${location.protocol === "file:" ? "holonom.html" : "index.html"}?embed`;

export class Live {
  static readonly all: Live[] = [];
  readonly name: string;
  /** The text of the scene where it is written out here. */
  readonly editor: HTMLTextAreaElement | null;
  private readonly original: string;
  private stage: HTMLElement;
  private trouble: HTMLElement | null;
  private frame: HTMLIFrameElement | null = null;
  private opened: Promise<void> | null = null;
  private ready: () => void = () => {};
  private waiting = new Map<number, { resolve: (answer: never) => void; reject: (e: Error) => void }>();
  private next = 1;
  private seen = 0;

  constructor(private figure: HTMLElement) {
    Live.all.push(this);
    this.name = figure.dataset.scene ?? "";
    this.stage = figure.querySelector<HTMLElement>(".stage")!;
    this.editor = figure.querySelector("textarea");
    this.original = this.editor?.value ?? "";
    this.trouble = figure.querySelector(".trouble");
    figure.querySelector(".start")?.addEventListener("click", () => void this.start(true).catch(() => {}));
    figure.querySelector(".run")?.addEventListener("click", () => void this.open(true).catch(() => {}));
    figure.querySelector(".restore")?.addEventListener("click", () => {
      this.editor!.value = this.original;
      void this.open(true).catch(() => {});
    });
    this.editor?.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void this.open(true).catch(() => {});
    });
    window.addEventListener("message", (event) => {
      if (event.source === this.frame?.contentWindow && (event.data as FromEmbedded | null)?.holonom === true) this.hear(event.data as FromEmbedded);
    });
  }

  get running(): boolean {
    return this.frame !== null;
  }

  /** Begin, if it has not begun; `play` lets time run. */
  start(play: boolean): Promise<void> {
    this.seen = performance.now();
    if (this.frame) return this.opened!;
    for (const other of Live.all.filter((l) => l.running).sort((a, b) => b.seen - a.seen).slice(MOST - 1)) other.stop();
    const frame = document.createElement("iframe");
    frame.title = `The mechanism ${this.name}, which can be pulled`;
    frame.className = "engine";
    this.frame = frame;
    this.figure.dataset.state = "loading";
    const ready = new Promise<void>((resolve) => (this.ready = resolve));
    this.opened = ready.then(() => this.open(play));
    frame.src = address;
    this.stage.append(frame);
    return this.opened;
  }

  stop(): void {
    this.frame?.remove();
    this.frame = null;
    this.opened = null;
    delete this.figure.dataset.state;
    for (const { reject } of this.waiting.values()) reject(new Error("it was put away"));
    this.waiting.clear();
  }

  /** Open the scene as it is written now. What the engine says against it stands below the text. */
  async open(play: boolean): Promise<void> {
    if (!this.frame) return this.start(play);
    if (this.trouble) this.trouble.textContent = "";
    this.theme(document.documentElement.dataset.theme === "dark" ? "dark" : "light");
    const request: Request = this.editor ? { do: "open-text", name: `${this.name}.toml`, text: this.editor.value } : { do: "open", scene: this.name };
    try {
      await this.send({ open: request, show: (this.figure.dataset.show ?? "").split(" ") });
    } catch (e) {
      const { message, details } = e as Error & { details?: string | null };
      if (this.trouble) this.trouble.textContent = details || message;
      this.figure.dataset.state = "refused";
      throw e;
    }
    this.figure.dataset.state = "live";
    if (play) await this.send({ say: { do: "play" } });
  }

  ask<Q extends Question>(question: Q): Promise<Answers[Q["about"]]> {
    return this.send({ ask: question });
  }

  say(request: Request): Promise<void> {
    return this.send({ say: request });
  }

  /** Quantities over so many seconds from the start of the scene; the first is time. */
  async recorded(names: string[], seconds: number): Promise<BacklogAnswer> {
    const { from } = await this.send<{ from: number }>({ run: seconds });
    const answer = await this.ask({ about: "backlog", names });
    const keep = answer.ticks.map((tick) => tick >= from);
    return { ...answer, ticks: answer.ticks.filter((_, k) => keep[k]), values: answer.values.map((list) => list.filter((_, k) => keep[k])) };
  }

  theme(theme: "light" | "dark"): void {
    this.frame?.contentWindow?.postMessage({ holonom: true, theme } satisfies ToEmbedded, "*");
  }

  private send<T>(message: { open: Request; show: string[] } | { ask: Question } | { say: Request } | { run: number }): Promise<T> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      if (!this.frame?.contentWindow) return reject(new Error("it does not run"));
      this.waiting.set(id, { resolve, reject });
      this.frame.contentWindow.postMessage({ holonom: true, id, ...message }, "*");
    });
  }

  private hear(message: FromEmbedded): void {
    if ("ready" in message) this.ready();
    else if ("playing" in message) {
      this.seen = performance.now();
    } else {
      const asked = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if ("failed" in message) asked?.reject(Object.assign(new Error(message.failed), { details: message.details }));
      else asked?.resolve(message.answer as never);
    }
  }
}

/** Mechanisms begin when they have been in view for a while. */
export function startWhenSeen(): void {
  const timers = new Map<Element, number>();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      window.clearTimeout(timers.get(target));
      const live = Live.all.find((l) => l["figure"] === target);
      if (isIntersecting && live && !live.running) timers.set(target, window.setTimeout(() => void live.start(true).catch(() => {}), DWELL));
    }
  }, { threshold: 0.6 });
  for (const live of Live.all) observer.observe(live["stage"].parentElement!);
}
