// The palette: bodies and joints to add, the working plane, how ends are joined; undo, redo, save, new.

import type { App } from "../app";
import type { BuildCatalogue, JointEntry, JsonValue, Piece, PieceSize } from "../protocol";
import type { View } from "../view";
import { h } from "../panels/dom";
import type { Fields } from "./edits";
import { drawing } from "./icons";
import { ids } from "./ids";
import type { PlaneName, WorkPlane } from "./plane";
import type { AxisName, Choice, Item } from "./state";

/** What the palette does not do itself. */
export interface FileActions {
  save: () => void;
  begin: () => void;
}

const option = (value: string, text: string): HTMLOptionElement => h("option", { text, attrs: { value } });

export function createPalette(app: App, view: View, plane: WorkPlane, choice: Choice, host: HTMLElement, files: FileActions): void {
  const buttons = new Map<string, HTMLButtonElement>();
  const pick = (name: string, icon: string, text: string, title: string, testid: string, item: () => Item): HTMLButtonElement => {
    const node = h("button", { class: "build-pick", type: "button", title, testid, attrs: { "aria-pressed": "false" }, on: { click: () => take(name, item()) } }, drawing(icon), h("span", { text }));
    buttons.set(name, node);
    return node;
  };
  function take(name: string, item: Item): void {
    if (app.tool !== "build") app.setTool("build");
    if (item.do === "joint") choice.axis = item.joint.axis === "along-x" ? "x" : "normal";
    axis.value = choice.axis;
    choice.take(name, item);
  }

  // sizes suit what is seen: those of the catalogue are for a view about a metre and a half high
  const scale = (): number => {
    const t = view.camera.target;
    const high = view.canvas.clientHeight * view.pixel([t.x, t.y, t.z]);
    const power = 10 ** Math.floor(Math.log10(high));
    const lead = high / power;
    return power * (lead < 1.25 ? 0.5 : lead < 3 ? 1 : lead < 7 ? 2 : 5);
  };
  const tidy = (x: number): number => Number(x.toPrecision(2));
  const sized = (x: PieceSize): JsonValue => (Array.isArray(x) ? x.map((y) => tidy(y * scale())) : tidy(x * scale()));
  const table = (piece: Piece) => (): Fields => ({
    ...(piece.body === null ? { density: 7800 } : { kind: piece.body, mass: 1 }),
    shape: { kind: piece.shape, ...Object.fromEntries(Object.entries(piece.sizes).map(([k, v]) => [k, sized(v)])) },
    ...(piece.faces_plane ? facing() : {}),
  });
  /** Round things and plates face along the normal of the plane. */
  const facing = (): Fields => {
    const n = plane.normal;
    if (n[2] > 0.99) return {};
    return { rotation: { x: Math.abs(n[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0], z: n } };
  };
  const pieceItem = (piece: Piece): Item => ({ do: piece.between ? "line" : "place", body: table(piece) });
  const jointItem = (joint: JointEntry): Item => ({ do: "joint", joint });

  const select = pick("select", "select", "Select", "Click to select, drag a body to move it (Esc)", ids.tool("select"), () => ({ do: "select" }));
  const pin = pick("pin", "pin", "Pin", "Pin a point of a body to the ground; on an empty place, a point of the ground", ids.tool("pin"), () => ({ do: "pin" }));
  const pieces = h("div", { class: "build-picks" });
  const joints = h("div", { class: "build-picks" });
  /** A list of further kinds; its choice counts as a button of this name. */
  const list = <T extends { label: string }>(button: string, testid: string, label: string, all: [string, T][], item: (of: T) => Item): HTMLSelectElement => {
    const node = h("select", { class: "select", testid, label }, option("", "other …"), ...all.map(([value, { label }]) => option(value, label.toLowerCase())));
    node.addEventListener("change", () => {
      const found = all.find(([value]) => value === node.value);
      if (!found) return;
      take(button, item(found[1]));
      node.value = found[0];
    });
    lists.set(button, node);
    return node;
  };
  const lists = new Map<string, HTMLSelectElement>();

  // ---- how ----

  const planes = h("select", { class: "select small", testid: ids.plane, label: "Working plane" },
    option("xz", "upright, x–z"), option("yz", "upright, y–z"), option("xy", "level, x–y"), option("view", "facing me"));
  planes.addEventListener("change", () => {
    plane.name = planes.value as PlaneName;
    if (plane.name === "xz") view.look("front");
    else if (plane.name === "xy") view.look("top");
    else if (plane.name === "yz") view.look("right");
    choice.changed();
  });
  const grid = h("select", { class: "select small", testid: ids.grid, label: "Grid" },
    option("auto", "suits the scene"), option("0", "none"), ...[0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].map((s) => option(String(s), s < 0.01 ? `${s * 1000} mm` : `${s} m`)));
  grid.addEventListener("change", () => {
    plane.chosenStep = grid.value === "auto" ? null : Number(grid.value);
    choice.changed();
  });
  const ends = h("select", { class: "select small", testid: ids.ends, label: "Ends of rods are joined with" },
    option("none", "nothing"));
  ends.addEventListener("change", () => {
    choice.ends = ends.value === "none" ? null : ends.value;
    choice.pinned = choice.ends ?? ends.options[0].value;
  });
  const axis = h("select", { class: "select small", testid: ids.axis, label: "Axis of joints" },
    option("normal", "across the plane"), option("x", "along x"), option("y", "along y"), option("z", "along z"));
  axis.addEventListener("change", () => {
    choice.axis = axis.value as AxisName;
  });
  const row = (text: string, control: HTMLElement): HTMLElement => h("label", { class: "build-row" }, h("span", { text }), control);

  // ---- history and files ----

  const act = (name: string, text: string, title: string, testid: string, press: () => void): HTMLButtonElement =>
    h("button", { class: "button small outline", type: "button", title, testid, on: { click: press } }, drawing(name), h("span", { text }));
  const undo = act("undo", "Undo", "Take the last change back (Ctrl+Z)", ids.undo, () => app.send({ do: "undo" }));
  const redo = act("redo", "Redo", "Make it again (Ctrl+Shift+Z)", ids.redo, () => app.send({ do: "redo" }));
  const save = act("save", "Save", "Save as a scene file that `holonom run` takes", ids.save, files.save);
  const fresh = act("new", "New", "An empty scene", ids.fresh, files.begin);

  const hint = h("p", { class: "build-hint", testid: ids.hint, role: "status" });
  host.append(
    h("div", { class: "build-acts" }, undo, redo, save, fresh),
    hint,
    h("div", { class: "build-picks" }, select, pin),
    h("h3", { text: "Bodies" }), pieces,
    h("h3", { text: "Joints" }), joints,
    h("div", { class: "build-rows" }, row("Working plane", planes), row("Grid", grid), row("Ends joined with", ends), row("Axis of joints", axis)),
  );

  function refresh(): void {
    for (const [name, node] of buttons) node.setAttribute("aria-pressed", String(app.tool === "build" && choice.button === name));
    for (const [name, node] of lists) if (choice.button !== name) node.value = "";
    hint.textContent = app.tool === "build" ? choice.hint : "Choose a piece, then point in the view.";
    undo.disabled = !(app.picture?.can_undo ?? false);
    redo.disabled = !(app.picture?.can_redo ?? false);
  }
  /** Buttons and lists of what the program can build. */
  function offer(all: BuildCatalogue): void {
    const [shown, listed] = (["button", "list"] as const).map((group) => all.pieces.filter((p) => p.group === group));
    pieces.replaceChildren(...shown.map((p) => pick(p.name, p.name, p.label, p.help, ids.tool(p.name), () => pieceItem(p))),
      list("more", ids.shape, "Further shapes", listed.map((p) => [p.name, p]), pieceItem));
    const [main, further] = (["button", "list"] as const).map((group) => all.joints.filter((j) => j.group === group));
    joints.replaceChildren(...main.map((j) => pick(j.kind, `joint-${j.glyph}`, j.label, `${j.label}: ${j.summary}. Click a point, then another`, ids.joint(j.kind), () => jointItem(j))),
      list("more-joints", ids.moreJoints, "Further joints", further.map((j) => [j.kind, j]), jointItem));
    ends.replaceChildren(...all.joints.flatMap((j) => (j.ends === null ? [] : [option(j.kind, j.ends)])), option("none", "nothing"));
    choice.ends = choice.pinned = ends.value;
    refresh();
  }
  choice.on(refresh);
  app.on("picture", refresh);
  app.on("tool", refresh);
  app.on("catalogue", offer);
  if (app.catalogue) offer(app.catalogue);
  refresh();
}
