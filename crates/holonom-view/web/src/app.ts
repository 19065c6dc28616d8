// The state that all parts of the page share, and how they hear of changes. Nothing here draws.

import type { Frame } from "./frame";
import type { Answer, Answers, BuildCatalogue, FrameSection, Picture, Question, Reply, Request } from "./protocol";

export type Selection = { kind: "body" | "joint" | "force"; name: string } | null;
export type Tool = "drag" | "push" | "twist" | "trail" | "jog" | "build";
export type Connection = "connecting" | "open" | "lost";

/** What can be switched on and off in the view. */
export interface Shown {
  reactions: boolean;
  torques: boolean;
  applied: boolean;
  contacts: boolean;
  velocities: boolean;
  accelerations: boolean;
  centre: boolean;
  trails: boolean;
  labels: boolean;
  /** Numbers at arrows. */
  figures: boolean;
  joints: boolean;
  structure: boolean;
  shadows: boolean;
  grid: boolean;
  /** Bodies that one can see through. */
  transparent: boolean;
  /** Without perspective. */
  parallel: boolean;
}

interface Events {
  catalogue: BuildCatalogue;
  picture: Picture;
  frame: Frame;
  connection: Connection;
  selection: Selection;
  /** Names of bodies and joints to be pointed out, as paths: `body.crank`, `joint.A`. */
  highlight: string[];
  shown: Shown;
  tool: Tool;
  /** The cap of the hand (N) or another setting of the touch tools has changed. */
  touch: void;
  theme: "light" | "dark";
  error: { message: string; details?: string | null };
  note: string;
  warning: { message: string; details: string };
  /** The name of something that was added to the scene. */
  made: string;
}

type Listener<K extends keyof Events> = (value: Events[K]) => void;

export class App {
  catalogue: BuildCatalogue | null = null;
  picture: Picture | null = null;
  frame: Frame | null = null;
  connection: Connection = "connecting";
  client = 0;
  version = "";
  selection: Selection = null;
  highlight: string[] = [];
  tool: Tool = "drag";
  /** Most force of a dragging hand, N. */
  cap = 100;
  /** Lengths of arrows: metres of arrow per newton and so on, as a factor on what suits the scene. */
  arrowScale = 1;
  shown: Shown = {
    reactions: false,
    torques: false,
    applied: false,
    contacts: false,
    velocities: false,
    accelerations: false,
    centre: false,
    trails: false,
    labels: false,
    figures: false,
    joints: false,
    structure: false,
    shadows: true,
    grid: true,
    transparent: false,
    parallel: false,
  };

  /** What was opened last, and how: enough to open it again. */
  lastOpened: Request | null = null;

  private listeners = new Map<keyof Events, Set<(value: never) => void>>();
  private waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (e: Error) => void }>();
  private nextQuestion = 1;
  /** Set by the link. */
  transmit: (request: Request) => boolean = () => false;

  on<K extends keyof Events>(event: K, listener: Listener<K>): () => void {
    const set = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, set);
    set.add(listener as (value: never) => void);
    return () => set.delete(listener as (value: never) => void);
  }

  emit<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of this.listeners.get(event) ?? []) (listener as Listener<K>)(value);
  }

  /** Say something to the program; false when nobody listens. */
  send(request: Request): boolean {
    const heard = this.transmit(request);
    if (heard && (request.do === "open" || request.do === "open-text" || request.do === "new")) this.lastOpened = request;
    return heard;
  }

  /** Ask the program something. */
  ask<Q extends Question>(question: Q): Promise<Answers[Q["about"]]> {
    const id = this.nextQuestion++;
    return new Promise((resolve, reject) => {
      if (!this.send({ do: "ask", id, question })) {
        reject(new Error("not connected"));
        return;
      }
      this.waiting.set(id, { resolve: resolve as (answer: Answer) => void, reject });
    });
  }

  select(selection: Selection): void {
    this.selection = selection;
    this.emit("selection", selection);
  }

  pointOut(paths: string[]): void {
    this.highlight = paths;
    this.emit("highlight", paths);
  }

  show(change: Partial<Shown>): void {
    this.shown = { ...this.shown, ...change };
    this.emit("shown", this.shown);
    this.tellWants();
  }

  setTool(tool: Tool): void {
    this.tool = tool;
    this.emit("tool", tool);
  }

  setConnection(connection: Connection): void {
    this.connection = connection;
    if (connection !== "open") {
      for (const { reject } of this.waiting.values()) reject(new Error("the connection was lost"));
      this.waiting.clear();
    }
    this.emit("connection", connection);
  }

  /** Which sections of frames are needed for what is switched on. */
  tellWants(): void {
    const s = this.shown;
    const sections: FrameSection[] = [];
    if (s.reactions || s.torques) sections.push("reactions");
    if (s.applied) sections.push("applied");
    if (s.contacts) sections.push("contacts");
    if (s.velocities) sections.push("velocities");
    if (s.accelerations) sections.push("accelerations");
    if (s.centre) sections.push("centre");
    this.send({ do: "show", sections });
  }

  /** A text message of the program. */
  hear(reply: Reply): void {
    switch (reply.say) {
      case "welcome":
        this.client = reply.client;
        this.version = reply.version;
        this.tellWants();
        break;
      case "catalogue":
        this.catalogue = reply;
        this.emit("catalogue", reply);
        break;
      case "picture":
        this.picture = reply;
        this.emit("picture", reply);
        break;
      case "answer":
        this.waiting.get(reply.id)?.resolve(reply.answer);
        this.waiting.delete(reply.id);
        break;
      case "error":
        if (typeof reply.id === "number" && this.waiting.has(reply.id)) {
          this.waiting.get(reply.id)?.reject(new Error(reply.message));
          this.waiting.delete(reply.id);
        } else {
          this.emit("error", { message: reply.message, details: reply.details });
        }
        break;
      case "note":
        this.emit("note", reply.message);
        break;
      case "warning":
        this.emit("warning", reply);
        break;
      case "made":
        this.emit("made", reply.name);
        break;
      case "pong":
        break;
    }
  }

  /** A frame; those of another picture than the one at hand are left out. */
  see(frame: Frame): void {
    this.frame = frame;
    if (this.picture && frame.revision === this.picture.revision) this.emit("frame", frame);
  }
}
