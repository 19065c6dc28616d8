// The doctor's report: how the mechanism can move, what is held twice, which reactions can be trusted. Sentences point at what they speak of.

import type { App } from "../app";
import type { DoctorAnswer, Sentence } from "../protocol";
import { button, h, icon, sentence, setText } from "./dom";
import type { Layout } from "./layout";
import { number, short } from "./units";

const MOST_LOADS = 60;

export class Doctor {
  private body = h("div", { class: "doctor", testid: "doctor" });
  private when = h("span", { class: "muted" });
  private asked = -1;
  private pointed: HTMLElement | null = null;
  private busy = false;

  constructor(private app: App, private layout: Layout) {
    layout.tabs.doctor.append(
      h("div", { class: "row-tools first" }, this.when, h("span", { class: "spacer" }), button({ label: "Ask the doctor again, about the present pose", icon: "refresh", text: "Ask again", class: "button small outline", testid: "doctor-again", press: () => void this.ask() })),
      this.body,
    );
    layout.onTab((tab) => {
      if (tab === "doctor") this.askIfNew();
      else this.pointAt(null, []);
    });
    app.on("picture", () => this.askIfNew());
    // whoever comes back may have another answer
    app.on("connection", (state) => {
      if (state === "open") this.asked = -1;
    });
  }

  private askIfNew(): void {
    const revision = this.app.picture?.revision ?? -1;
    if (this.layout.current() === "doctor" && revision !== this.asked && revision >= 0) void this.ask();
  }

  private async ask(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    const revision = this.app.picture?.revision ?? -1;
    setText(this.when, "Asking …");
    try {
      const report = await this.app.ask({ about: "doctor" });
      this.asked = revision;
      setText(this.when, `At t = ${(this.app.frame?.time ?? 0).toFixed(3)} s`);
      this.fill(report);
    } catch (error) {
      // a question that failed was asked: it is not asked again by itself
      this.asked = revision;
      setText(this.when, "");
      this.body.replaceChildren(h("p", { class: "sentence warn", text: `The doctor has no answer: ${(error as Error).message}` }));
    } finally {
      this.busy = false;
    }
    this.askIfNew();
  }

  private fill(report: DoctorAnswer): void {
    this.pointAt(null, []);
    const parts: Node[] = [
      h("div", { class: "figures" },
        figure("mobility", report.mobility, "Independent ways to start moving from this pose"),
        figure("bodies", report.bodies, "Bodies, the ground not counted"),
        figure("joints", report.joints, "Joints and drives"),
        figure("rows", report.rows, "Scalar equations of all joints"),
        figure("rank", report.rank, "How many of them are independent"),
        figure("loops", report.loops, "Independent loops")),
      h("div", { class: "sentences" }, ...(report.sentences ?? []).map((s) => this.sentence(s))),
    ];
    if (report.redundant?.length) {
      parts.push(h("h3", { text: "Held more than once" }));
      report.redundant.forEach((set, i) => parts.push(this.set(`Set ${i + 1}`, set.rows, set.dropped.length)));
    }
    if (report.not_unique?.length) {
      parts.push(h("h3", { text: "Reactions that are not unique" }), this.rows(report.not_unique));
    }
    if (report.loads?.length) {
      parts.push(h("h3", { text: "Their loads at this moment, split so that they are smallest" }));
      parts.push(...report.loads.slice(0, MOST_LOADS).map((load) => this.load(load)));
      if (report.loads.length > MOST_LOADS) parts.push(h("p", { class: "muted", text: `and ${report.loads.length - MOST_LOADS} more` }));
    }
    if (report.gap !== undefined) parts.push(h("p", { class: "muted", text: `Largest gap of any joint: ${short(report.gap)} m or rad.` }));
    this.body.replaceChildren(...parts);
  }

  private sentence(s: Sentence): HTMLElement {
    const name = s.level === "good" ? "✓" : s.level === "warn" ? "!" : "i";
    const mark = h("span", { class: "sentence-mark", text: name, attrs: { "aria-hidden": "true" } });
    if (s.paths.length === 0) return h("div", { class: `sentence ${s.level}`, testid: "doctor-sentence" }, mark, h("span", {}, ...sentence(s.text)));
    const node = h("button", { class: `sentence ${s.level}`, type: "button", testid: "doctor-sentence", title: "Show in the view", attrs: { "aria-pressed": "false" },
      on: { click: () => this.pointAt(node, s.paths) } }, mark, h("span", {}, ...sentence(s.text)), icon("target"));
    return node;
  }

  private set(title: string, rows: { joint: string; holds: string }[], surplus: number): HTMLElement {
    return h("div", { class: "set" }, h("div", { class: "set-title" }, h("span", { text: title }), h("span", { class: "mark warn", text: `${surplus} too many` })), this.rows(rows));
  }

  private load(load: DoctorAnswer["loads"][number]): HTMLElement {
    const line = (label: string, unit: string, values: number[], unique: boolean[]) =>
      h("div", { class: "load-line" }, h("span", { class: "muted", text: label }), ...values.map((v, i) => {
        const cell = h("span", { class: unique[i] ? "component" : "component unsure", title: unique[i] ? "unique" : "not unique" }, h("span", { class: "part", text: "xyz"[i]! }), h("span", { class: "value num", text: number(v) }));
        return cell;
      }), h("span", { class: "muted", text: unit }));
    const name = h("button", { class: "jump", type: "button", text: load.joint, title: "Show in the view", on: { click: () => this.pointAt(name, [`joint.${load.joint}`]) } });
    return h("div", { class: "block", testid: "doctor-load" }, name, line("force", "N", load.force, load.force_unique), line("torque", "N m", load.torque, load.torque_unique));
  }

  /** Rows by joint: one line for each joint, with what it holds. */
  private rows(rows: { joint: string; holds: string }[]): HTMLElement {
    const joints = new Map<string, string[]>();
    for (const { joint, holds } of rows) joints.set(joint, [...(joints.get(joint) ?? []), holds]);
    return h("div", { class: "things" }, ...[...joints].slice(0, 200).map(([joint, holds]) => {
      const node = h("button", { class: "thing", type: "button", title: "Show in the view", testid: "doctor-row", attrs: { "aria-pressed": "false" },
        on: { click: () => this.pointAt(node, [`joint.${joint}`]) } }, h("span", { class: "thing-name", text: joint }), h("span", { class: "muted", text: holds.join(", ") }));
      return node;
    }));
  }

  /** Points out in the view; a second press ends it. */
  private pointAt(node: HTMLElement | null, paths: string[]): void {
    const same = node !== null && node === this.pointed;
    this.pointed?.setAttribute("aria-pressed", "false");
    if (this.pointed || paths.length > 0) this.app.pointOut(same ? [] : paths);
    this.pointed = same ? null : node;
    this.pointed?.setAttribute("aria-pressed", "true");
  }
}

function figure(label: string, value: number | undefined, title: string): HTMLElement {
  return h("div", { class: "figure", title }, h("span", { class: "figure-value num", text: value === undefined ? "–" : String(value), testid: `doctor-${label}` }), h("span", { class: "muted", text: label }));
}
