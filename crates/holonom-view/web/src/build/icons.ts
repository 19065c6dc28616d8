// Small drawings of bodies, joints (by their glyphs) and actions, on a field of 20 by 20: strokes; what follows a bar is filled.

const DRAWINGS: Record<string, string> = {
  select: "M5 3l10 6-4.500 1.200L8.500 15z",
  rod: "M4 16L16 4M2.800 14.800a1.700 1.700 0 1 0 2.400 2.400M17.200 5.200a1.700 1.700 0 1 0-2.400-2.400",
  beam: "M3.200 13.800L13.800 3.200l3 3L6.200 16.800z",
  box: "M3.500 6.500L10 3.500l6.500 3v7L10 16.500l-6.500-3zM3.500 6.500l6.500 3 6.500-3M10 9.500v7",
  plate: "M4 4h12v12H4zM16 4l1.500 1.500V17.500H5.500L4 16",
  ball: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM3.200 11c2 2 11.600 2 13.600 0",
  cylinder: "M4 6v8c0 1.400 2.700 2.500 6 2.500s6-1.100 6-2.500V6M10 8.500c3.300 0 6-1.100 6-2.500S13.300 3.500 10 3.500 4 4.600 4 6s2.700 2.500 6 2.500z",
  particle: "M10 2v4M10 14v4M2 10h4M14 10h4|M10 12.200a2.200 2.200 0 1 0 0-4.400 2.200 2.200 0 0 0 0 4.400z",
  more: "|M4.500 11.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM10 11.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM15.500 11.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
  pin: "M6 13l4-7 4 7zM3.500 13h13M5 16l-1.500 2M9 16l-1.500 2M13 16l-1.500 2M17 16l-1.500 2|M10 7.500a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600z",
  "joint-hinge": "M3 15.500l4.700-3.700M17 15.500l-4.700-3.700M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6z|M10 11a1 1 0 1 0 0-2 1 1 0 0 0 0 2z",
  "joint-ball": "M2.500 17l4.700-4.200M5.500 10a4.500 4.500 0 1 1 9 0|M10 12.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z",
  "joint-block": "M2.500 10h15M7 7l6 6M13 7l-6 6",
  "joint-slider": "M2 10h16M6 6.500h8v7H6z",
  "joint-cross": "M2.500 10h4M13.500 10h4M10 3v14M6.500 7v6M13.500 7v6M6.500 10h7",
  "joint-rod": "M5.500 10h9M4 11.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM16 11.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
  undo: "M7 4L3.500 7.500 7 11M3.500 7.500H12a4.500 4.500 0 0 1 0 9H8",
  redo: "M13 4l3.500 3.500L13 11M16.500 7.500H8a4.500 4.500 0 0 0 0 9h4",
  save: "M10 3v9M6.500 8.800L10 12.300l3.500-3.500M3.500 16.500h13",
  new: "M5 2.500h7l3.500 3.500v11.500H5zM12 2.500V6h3.500M10 9v5M7.500 11.500h5",
  delete: "M4 5.500h12M8 5.500V3.500h4v2M5.500 5.500l.8 11.500h7.400l.8-11.500M8.500 8.500v6M11.500 8.500v6",
  duplicate: "M7 7h10v10H7zM13 7V3H3v10h4",
  cut: "M5 5l10 9M5 14L15 5M4 16.500a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600zM4 6.500a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600z",
  motor: "M10 16a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM7 12.500v-5l3 3 3-3v5",
};

/** A drawing by its name; a plain joint where there is none. */
export function drawing(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "build-icon");
  svg.setAttribute("aria-hidden", "true");
  const [strokes, areas] = (DRAWINGS[name] ?? DRAWINGS["joint-hinge"]).split("|");
  for (const [d, kind] of [[strokes, "build-stroke"], [areas, "build-area"]] as const) {
    if (!d) continue;
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", d);
    path.setAttribute("class", kind);
    svg.append(path);
  }
  return svg;
}
