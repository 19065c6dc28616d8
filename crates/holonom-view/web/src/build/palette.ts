// The palette: bodies and joints to add, the working plane, how ends are joined; undo, redo, save, new.

import type { App } from "../app";
import type { Triple } from "../protocol";
import type { View } from "../view";
import { h } from "../panels/dom";
import type { Offers } from "./edits";
import { drawing } from "./icons";
import { ids } from "./ids";
import type { PlaneName, WorkPlane } from "./plane";
import type { AxisName, Choice, Ends, Item } from "./state";

/** Joints that have a button; the others are in a list. */
const JOINTS: [string, string][] = [
  ["revolute", "Hinge"],
  ["spherical", "Ball joint"],
  ["prismatic", "Slider"],
  ["weld", "Weld"],
  ["universal", "Universal"],
  ["distance", "Link"],
];

export function createPalette(app: App, view: View, plane: WorkPlane, choice: Choice, host: HTMLElement): void {
  const buttons = new Map<string, HTMLButtonElement>();
  const pick = (name: string, text: string, title: string, testid: string, item: () => Item): HTMLButtonElement => {
    const node = h("button", { class: "build-pick", type: "button", title, testid, attrs: { "aria-pressed": "false" }, on: { click: () => take(name, item()) } }, drawing(name), h("span", { text }));
    buttons.set(name, node);
    return node;
  };
  function take(name: string, item: Item): void {
    if (app.tool !== "build") app.setTool("build");
    if (item.do === "joint") choice.axis = ["prismatic", "cylindrical", "screw", "pin-slot"].includes(item.joint) ? "x" : "normal";
    axis.value = choice.axis;
    choice.take(name, item);
  }

  // sizes suit what is seen: those of the palette are for a view about a metre and a half high
  const scale = (): number => {
    const t = view.camera.target;
    const high = view.canvas.clientHeight * view.pixel([t.x, t.y, t.z]);
    const power = 10 ** Math.floor(Math.log10(high));
    const lead = high / power;
    return power * (lead < 1.25 ? 0.5 : lead < 3 ? 1 : lead < 7 ? 2 : 5);
  };
  const sized = (x: number | number[]): number | number[] => (Array.isArray(x) ? x.map((y) => tidy(y * scale())) : tidy(x * scale()));
  const tidy = (x: number): number => Number(x.toPrecision(2));
  const lineItem = (shape: string): Item => {
    const sizes = choice.offers?.shapes.find((s) => s.kind === shape)?.sizes ?? (shape === "beam" ? { width: 0.03, height: 0.03 } : { radius: 0.015 });
    return { do: "line", name: shape, shape, sizes: () => Object.fromEntries(Object.entries(sizes).map(([k, v]) => [k, sized(v)])) };
  };
  const placed = (name: string, shape: () => Record<string, unknown>, more: () => Record<string, unknown> = () => ({})): Item => ({ do: "place", name, body: () => ({ shape: shape(), density: 7800, ...more() }) });
  /** Round things and plates face along the normal of the plane. */
  const facing = (): Record<string, unknown> => {
    const n = plane.normal;
    if (n[2] > 0.99) return {};
    const x: Triple = Math.abs(n[0]) > 0.9 ? [0, 1, 0] : [1, 0, 0];
    return { rotation: { x, z: n } };
  };

  const select = pick("select", "Select", "Click to select, drag a body to move it (Esc)", ids.tool("select"), () => ({ do: "select" }));
  const bodies = [
    pick("rod", "Rod", "A round bar from one point to another", ids.tool("rod"), () => lineItem("rod")),
    pick("beam", "Beam", "A square bar from one point to another", ids.tool("beam"), () => lineItem("beam")),
    pick("box", "Box", "A box", ids.tool("box"), () => placed("box", () => ({ kind: "box", size: sized([0.2, 0.12, 0.12]) }))),
    pick("plate", "Plate", "A thin plate that lies in the working plane", ids.tool("plate"), () => placed("plate", () => ({ kind: "box", size: sized([0.3, 0.2, 0.015]) }), facing)),
    pick("ball", "Ball", "A ball", ids.tool("ball"), () => placed("ball", () => ({ kind: "sphere", radius: sized(0.08) }))),
    pick("cylinder", "Cylinder", "A wheel or disc that faces along the normal of the working plane", ids.tool("cylinder"), () => placed("cylinder", () => ({ kind: "cylinder", radius: sized(0.1), length: sized(0.05) }), facing)),
    pick("particle", "Particle", "A point with mass and no orientation", ids.tool("particle"), () => ({ do: "place", name: "particle", body: () => ({ kind: "particle", mass: 1, shape: { kind: "sphere", radius: sized(0.02) } }) })),
  ];
  const shapes = h("select", { class: "select", testid: ids.shape, label: "Further shapes" });
  shapes.addEventListener("change", () => {
    const offer = choice.offers?.shapes.find((s) => s.kind === shapes.value);
    if (!offer?.sizes) return;
    const given = Object.entries(offer.sizes);
    const sizes = (): Record<string, number | number[]> => Object.fromEntries(given.map(([k, v]) => [k, sized(v)]));
    take("more", offer.between ? { do: "line", name: offer.kind, shape: offer.kind, sizes } : placed(offer.kind, () => ({ kind: offer.kind, ...sizes() })));
    shapes.value = offer.kind;
  });

  const pin = pick("pin", "Pin", "Pin a point of a body to the ground; on an empty place, a point of the ground", ids.tool("pin"), () => ({ do: "pin" }));
  const joints = JOINTS.map(([kind, text]) => pick(kind, text, kind === "distance" ? "Keeps two points at their distance: a massless link. Click a point, then another" : `${text}: click a point, then another`, ids.joint(kind), () => ({ do: "joint", joint: kind })));
  const otherJoints = h("select", { class: "select", testid: ids.moreJoints, label: "Further joints" });
  otherJoints.addEventListener("change", () => {
    const kind = otherJoints.value;
    if (!kind) return;
    take("more-joints", { do: "joint", joint: kind });
    otherJoints.value = kind;
  });

  // ---- how ----

  const option = (value: string, text: string): HTMLOptionElement => h("option", { text, attrs: { value } });
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
    option("revolute", "hinges"), option("spherical", "ball joints"), option("weld", "welds"), option("none", "nothing"));
  ends.addEventListener("change", () => {
    choice.ends = ends.value as Ends;
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
  const save = h("a", { class: "button small outline", title: "Save as a scene file that `holonom run` takes", testid: ids.save, attrs: { href: "/files/scene.toml", download: "scene.toml" } }, drawing("save"), h("span", { text: "Save" }));
  const fresh = act("new", "New", "An empty scene", ids.fresh, () => {
    const work = (app.picture?.can_undo ?? false) && !window.confirm("Begin an empty scene? What was built here is lost unless it was saved.");
    if (!work) app.send({ do: "new" });
  });

  const hint = h("p", { class: "build-hint", testid: ids.hint, role: "status" });
  host.append(
    h("div", { class: "build-acts" }, undo, redo, save, fresh),
    hint,
    h("div", { class: "build-picks" }, select, pin),
    h("h3", { text: "Bodies" }), h("div", { class: "build-picks" }, ...bodies, shapes),
    h("h3", { text: "Joints" }), h("div", { class: "build-picks" }, ...joints, otherJoints),
    h("div", { class: "build-rows" }, row("Working plane", planes), row("Grid", grid), row("Ends joined with", ends), row("Axis of joints", axis)),
  );

  function refresh(): void {
    for (const [name, node] of buttons) node.setAttribute("aria-pressed", String(app.tool === "build" && choice.button === name));
    if (choice.button !== "more") shapes.value = "";
    if (choice.button !== "more-joints") otherJoints.value = "";
    hint.textContent = app.tool === "build" ? choice.hint : "Choose a piece, then point in the view.";
    undo.disabled = !(app.picture?.can_undo ?? false);
    redo.disabled = !(app.picture?.can_redo ?? false);
    const name = (app.picture?.name || "scene").replace(/\.(toml|urdf|xml)$/i, "").replace(/[^\w.-]+/g, "-");
    save.setAttribute("download", `${name}.toml`);
  }
  function offer(offers: Offers): void {
    choice.offers = offers;
    const named = ["rod", "beam", "box", "sphere", "cylinder"];
    shapes.replaceChildren(option("", "other …"), ...offers.shapes.filter((s) => s.sizes && !named.includes(s.kind)).map((s) => option(s.kind, s.kind)));
    const shown = JOINTS.map((j) => j[0]);
    otherJoints.replaceChildren(option("", "other …"), ...offers.joints.filter((j) => j.sides && !j.asks && !shown.includes(j.kind)).map((j) => option(j.kind, j.kind.replaceAll("-", " "))));
  }
  choice.on(refresh);
  app.on("picture", refresh);
  app.on("tool", refresh);
  app.on("connection", (c) => {
    if (c === "open" && !choice.offers) app.ask<Offers>({ about: "palette" }).then(offer, () => {});
  });
  if (app.connection === "open") app.ask<Offers>({ about: "palette" }).then(offer, () => {});
  refresh();
}
