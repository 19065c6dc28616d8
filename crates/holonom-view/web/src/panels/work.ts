// Work that is not saved: it is kept in this browser while it is made, so that neither another scene nor a closed window throws it away. The gallery offers what is kept.

import type { App } from "../app";
import { recall, remember } from "./store";

/** Scenes that are kept, the newest first. */
export interface Kept {
  id: string;
  name: string;
  title: string;
  text: string;
  /** Milliseconds since 1970. */
  when: number;
}

const NAME = "work";
const MOST = 12;
/** Characters of all that is kept: browsers keep five million. */
const MOST_TEXT = 2_000_000;
/** A pause in which nothing is changed, ms: then it is kept. */
const PAUSE = 400;

export class Work {
  /** The picture whose scene was saved last. */
  private saved = -1;
  /** What is being worked on: a new one for each scene that is opened. */
  private id = "";
  private scene = "";
  private timer = 0;
  private forgotten = new Set<string>();

  constructor(private app: App) {
    app.on("picture", (picture) => {
      // what can be undone was made since it was opened
      if (!picture.can_undo && !picture.can_redo) this.id = "";
      if (picture.name !== this.scene) this.id = "";
      this.scene = picture.name;
      if (!picture.can_undo) return;
      this.id ||= `${Date.now().toString(36)}-${Math.floor(1e6 * Math.random()).toString(36)}`;
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.keep(), PAUSE);
    });
  }

  /** Are there changes that no file has? */
  get unsaved(): boolean {
    const picture = this.app.picture;
    return picture !== null && picture.can_undo && picture.bodies.length + picture.joints.length > 0 && picture.revision !== this.saved;
  }

  /** The scene as it is now has been saved. */
  wasSaved(): void {
    this.saved = this.app.picture?.revision ?? -1;
  }

  /** Keep what is there now. */
  async keep(): Promise<void> {
    window.clearTimeout(this.timer);
    const { picture } = this.app;
    const id = this.id;
    if (!picture || !id || picture.bodies.length + picture.joints.length === 0) return;
    const { name, text } = await this.app.ask({ about: "scene" });
    if (this.forgotten.has(id)) return; // while the program was asked
    const entry = { id, name, title: picture.title || name, text, when: Date.now() };
    this.put([entry, ...this.all().filter((k) => k.id !== id)]);
  }

  /** What is being worked on, as it was kept last. */
  current(): Kept | null {
    return this.all().find((k) => k.id === this.id) ?? null;
  }

  /** Forget what is there now, or one that is kept. */
  forget(id = this.id): void {
    window.clearTimeout(this.timer);
    this.forgotten.add(id);
    this.put(this.all().filter((k) => k.id !== id));
    if (this.id === id) this.id = "";
  }

  all(): Kept[] {
    try {
      const list: unknown = JSON.parse(recall(NAME) ?? "[]");
      return Array.isArray(list) ? (list as Kept[]).filter((k) => typeof k.text === "string" && typeof k.id === "string") : [];
    } catch {
      return [];
    }
  }

  private put(list: Kept[]): void {
    let room = MOST_TEXT;
    const kept = list.slice(0, MOST).filter((k) => (room -= k.text.length) >= 0);
    remember(NAME, JSON.stringify(kept));
  }
}
