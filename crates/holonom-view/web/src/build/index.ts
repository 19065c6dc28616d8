// Building: the palette, the pointer tool, the form of what is selected, keys. Made once; everything else happens by messages.

import type { App, Selection } from "../app";
import type { Picture } from "../protocol";
import type { Touch } from "../touch";
import type { View } from "../view";
import { edit, waiting } from "./edits";
import { createForm } from "./form";
import { createPalette, type FileActions } from "./palette";
import { WorkPlane } from "./plane";
import { Choice } from "./state";
import { buildTool } from "./tool";
import "./build.css";

export interface BuildHosts {
  /** Body of the tab for building. */
  palette: HTMLElement;
  /** Where the form of what is selected goes. */
  form: HTMLElement;
  /** Bring the tab for building to the front. */
  open?: () => void;
  files: FileActions;
}

export interface Build {
  choice: Choice;
  plane: WorkPlane;
}

export function createBuild(app: App, view: View, touch: Touch, hosts: BuildHosts): Build {
  const choice = new Choice();
  const plane = new WorkPlane(view);
  createPalette(app, view, plane, choice, hosts.palette, hosts.files);
  createForm(app, hosts.form);
  touch.register("build", buildTool(app, view, plane, choice));

  // ---- the grid is seen while it is used ----
  const grid = (): void => plane.show(app.tool === "build" && choice.item.do !== "select");
  choice.on(grid);
  app.on("tool", (tool) => {
    if (tool === "build") hosts.open?.();
    else choice.take("select", { do: "select" });
    grid();
  });
  app.on("theme", grid);

  // ---- what is new is selected ----
  let before: { name: string; things: Set<string> } | null = null;
  let empty = false;
  app.on("picture", (picture) => {
    const things = everything(picture);
    if (before && before.name === picture.name) {
      const fresh = [...things].filter((t) => !before!.things.has(t));
      const bodies = fresh.filter((t) => t.startsWith("body."));
      const one = bodies.length === 1 ? bodies[0] : fresh.length === 1 ? fresh[0] : null;
      // what others add is theirs
      if (one && waiting.forNew) {
        waiting.forNew = false;
        app.select(selectionOf(one));
      }
    }
    // another scene is there to be looked at first
    if (before && before.name !== picture.name && app.tool === "build") app.setTool("drag");
    before = { name: picture.name, things };
    // an empty scene is there to be built in
    const nothing = picture.bodies.length === 0;
    if (nothing && !empty) {
      app.setTool("build");
      plane.name = "xz";
      // drawing it puts the view's own camera up; ours comes after that, straight in front of the plane
      view.screenshot().catch(() => {});
      view.camera.stand([0.3, -2.4, 0.3], [0.3, 0, 0.25], null, false);
      document.querySelector<HTMLButtonElement>('[data-testid="build-tool-rod"]')?.click();
    }
    empty = nothing;
    grid();
  });

  // ---- keys ----
  document.addEventListener("keydown", (e) => {
    const target = e.target;
    if (target instanceof HTMLElement && target.closest("input, textarea, select, dialog[open]")) return;
    const control = e.ctrlKey || e.metaKey;
    const key = e.key.toLowerCase();
    if (control && key === "z") {
      const request = e.shiftKey ? "redo" : "undo";
      const can = e.shiftKey ? app.picture?.can_redo : app.picture?.can_undo;
      if (can) app.send({ do: request });
    } else if (control && key === "y") {
      if (app.picture?.can_redo) app.send({ do: "redo" });
    } else if ((e.key === "Delete" || e.key === "Backspace") && app.tool === "build" && !control && app.selection) {
      removeSelected(app, app.selection);
    } else return;
    e.preventDefault();
  });
  return { choice, plane };
}

function everything(picture: Picture): Set<string> {
  return new Set([...picture.bodies.map((b) => `body.${b.name}`), ...picture.joints.map((j) => `joint.${j.name}`), ...picture.forces.map((f) => `force.${f.name}`)]);
}

function selectionOf(path: string): Selection {
  const at = path.indexOf(".");
  return { kind: path.slice(0, at) as "body" | "joint" | "force", name: path.slice(at + 1) };
}

function removeSelected(app: App, { kind, name }: NonNullable<Selection>): void {
  const drive = kind === "joint" && app.picture?.joints.find((j) => j.name === name)?.drive;
  edit(app, { kind: "remove", path: `${drive ? "drive" : kind}.${name}` });
}
