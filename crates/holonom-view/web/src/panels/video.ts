// A video of the view, as long as somebody wants it: what is drawn is recorded by the browser, and handed over as a file at the end.

import type { App } from "../app";
import { button, h, setText } from "./dom";

/** What browsers can write, the best first. */
const KINDS: [string, string][] = [
  ["video/mp4;codecs=avc1.42E01E", "mp4"],
  ["video/webm;codecs=vp9", "webm"],
  ["video/webm;codecs=vp8", "webm"],
  ["video/webm", "webm"],
];

export class Video {
  private recorder: MediaRecorder | null = null;

  constructor(private app: App, private host: HTMLElement, private canvas: () => HTMLCanvasElement, private save: (video: Blob, suffix: string) => void) {}

  /** Can this browser do it at all? */
  static get possible(): boolean {
    return typeof MediaRecorder === "function" && "captureStream" in HTMLCanvasElement.prototype && KINDS.some(([kind]) => MediaRecorder.isTypeSupported(kind));
  }

  get running(): boolean {
    return this.recorder !== null;
  }

  start(): void {
    if (this.recorder) return;
    const [kind, suffix] = KINDS.find(([k]) => MediaRecorder.isTypeSupported(k))!;
    const stream = this.canvas().captureStream(60);
    const recorder = new MediaRecorder(stream, { mimeType: kind, videoBitsPerSecond: 8_000_000 });
    const pieces: Blob[] = [];
    const from = performance.now();
    const time = h("output", { class: "num", text: "0 s" });
    const stop = () => recorder.state !== "inactive" && recorder.stop();
    const sign = h("div", { class: "recording", testid: "recording", role: "status" }, h("span", { class: "recording-dot" }), "Recording", time,
      button({ label: "Stop and save the video", text: "Stop", class: "button small outline", testid: "video-stop", press: stop }));
    const clock = window.setInterval(() => setText(time, `${Math.floor((performance.now() - from) / 1000)} s`), 250);
    const end = () => {
      window.clearInterval(clock);
      sign.remove();
      for (const track of stream.getTracks()) track.stop();
      this.recorder = null;
    };
    recorder.addEventListener("dataavailable", ({ data }) => pieces.push(data));
    recorder.addEventListener("stop", () => {
      end();
      this.save(new Blob(pieces, { type: kind.split(";")[0] }), suffix);
    });
    recorder.addEventListener("error", () => {
      end();
      this.app.emit("error", { message: "The browser could not record the video." });
    });
    recorder.start(1000);
    this.recorder = recorder;
    this.host.append(sign);
  }
}
