// Small helpers to make elements. No HTML strings: everything is made by calls, so that names out of scene files can never become markup.

type Child = Node | string | null | undefined | false;

interface Props {
  class?: string;
  id?: string;
  title?: string;
  label?: string;
  testid?: string;
  type?: string;
  text?: string;
  role?: string;
  attrs?: Record<string, string>;
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
}

/** An element with its properties and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  if (props.class) node.className = props.class;
  if (props.id) node.id = props.id;
  if (props.title) node.title = props.title;
  if (props.label) node.setAttribute("aria-label", props.label);
  if (props.testid) node.dataset.testid = props.testid;
  if (props.type) node.setAttribute("type", props.type);
  if (props.role) node.setAttribute("role", props.role);
  if (props.text !== undefined) node.textContent = props.text;
  for (const [name, value] of Object.entries(props.attrs ?? {})) node.setAttribute(name, value);
  for (const [name, listener] of Object.entries(props.on ?? {})) node.addEventListener(name, listener as EventListener);
  for (const child of children) if (child) node.append(child);
  return node;
}

interface ButtonProps {
  label: string;
  testid?: string;
  icon?: string;
  text?: string;
  class?: string;
  title?: string;
  press: () => void;
}

/** A button; its label is its tooltip and its name for screen readers. */
export function button(p: ButtonProps): HTMLButtonElement {
  // who speaks to the page says what is written on it
  const label = p.text && !p.label.toLowerCase().includes(p.text.toLowerCase()) ? `${p.text}: ${p.label}` : p.label;
  const node = h("button", { class: p.class ?? "button", type: "button", title: p.title ?? p.label, label, testid: p.testid });
  if (p.icon) node.append(icon(p.icon));
  if (p.text) node.append(h("span", { class: "button-text", text: p.text }));
  node.addEventListener("click", p.press);
  return node;
}

/** Buttons of which one is chosen: arrow keys go from one to the next, as in any group of radio buttons. */
export function segments<T extends string>(label: string, kind: string, choices: { value: T; button: HTMLButtonElement }[]): { node: HTMLElement; put: (value: T) => void } {
  const node = h("div", { class: `segments ${kind}`, role: "radiogroup", label }, ...choices.map((c) => c.button));
  for (const { button: b } of choices) {
    b.setAttribute("role", "radio");
    b.setAttribute("aria-checked", "false");
  }
  node.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const at = choices.findIndex((c) => c.button === event.target);
    if (by === 0 || at < 0) return;
    const next = choices[(at + by + choices.length) % choices.length]!.button;
    next.focus();
    next.click();
    event.preventDefault();
    event.stopPropagation();
  });
  const put = (value: T) => {
    for (const c of choices) {
      c.button.setAttribute("aria-checked", String(c.value === value));
      c.button.tabIndex = c.value === value ? 0 : -1;
    }
  };
  return { node, put };
}

/** A sentence of the program: begins with a capital; what stands in backticks is set as code. */
export function sentence(text: string): Node[] {
  const pieces = (text.charAt(0).toUpperCase() + text.slice(1)).split("`");
  // an odd backtick at the end is only that
  if (pieces.length % 2 === 0) return [document.createTextNode(pieces.join("`"))];
  return pieces.map((piece, i) => (i % 2 === 1 ? h("code", { text: piece }) : document.createTextNode(piece)));
}

/** Sets text only where it differs: frames come sixty times a second. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Switches a class only where it differs. */
export function setClass(node: Element, name: string, on: boolean): void {
  if (node.classList.contains(name) !== on) node.classList.toggle(name, on);
}

/** Shows or hides. */
export function setShown(node: HTMLElement, on: boolean): void {
  if (node.hidden === on) node.hidden = !on;
}

/** Icons, drawn on a field of 16 by 16: strokes, or areas where the name ends in `*`. */
const ICONS: Record<string, string> = {
  "play*": "M4.5 2.8v10.4L13 8z",
  "pause*": "M4 3h3v10H4zM9 3h3v10H9z",
  "step*": "M3.5 3v10L10 8zM11 3h2v10h-2z",
  "reset*": "M3 3h2v10H3zM12.5 3v10L6 8z",
  drag: "M5.2 8.2V4a1 1 0 0 1 2 0v3.5V3a1 1 0 0 1 2 0v4.5V3.8a1 1 0 0 1 2 0V8V6a1 1 0 0 1 2 0v4.2a4 4 0 0 1-4 4H8.600a4 4 0 0 1-3.300-1.800L2.800 9.600a1 1 0 0 1 1.500-1.300z",
  push: "M2 8h9M8 4.500 11.500 8 8 11.500M14 3v10",
  twist: "M13 8a5 5 0 1 1-2-4M11.200 1.500V4.200H8.500",
  jog: "M8 2v12M2 8h12M6.300 3.700 8 2l1.700 1.700M6.300 12.300 8 14l1.700-1.700M3.700 6.300 2 8l1.700 1.700M12.300 6.300 14 8l-1.700 1.700",
  build: "M2.500 5.500 8 2.500l5.500 3v5.500L8 14l-5.500-3zM2.500 5.500 8 8.500l5.500-3M8 8.500V14",
  trail: "M2 12c3 0 2-7 5-7s2 5 4 5 2-3 3-3",
  eye: "M1.500 8C3.500 4.800 5.600 3.500 8 3.500s4.500 1.300 6.500 4.500c-2 3.200-4.100 4.500-6.500 4.500S3.500 11.200 1.500 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  download: "M8 2v8M4.800 7.200 8 10.400l3.200-3.200M2.500 13.500h11",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.200v1.400M8 13.400v1.400M1.200 8h1.400M13.400 8h1.400M3.200 3.200l1 1M11.800 11.800l1 1M3.200 12.800l1-1M11.800 4.200l1-1",
  moon: "M13.200 9.800A5.700 5.700 0 0 1 6.200 2.800a5.700 5.700 0 1 0 7 7z",
  help: "M8 14.500a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13zM6 6.200a2 2 0 1 1 2.900 1.800c-.6.300-.9.700-.9 1.300M8 11.400v.3",
  panel: "M2 3h12v10H2zM10 3v10",
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.300 10.300 14 14",
  plus: "M8 3v10M3 8h10",
  chart: "M2 2.500V13.500h12M4.500 10.500 7 7l2.500 2L13 4.500",
  open: "M2 12.500V4h4l1.500 1.500H13v2M2 12.500l2-5h11l-2 5z",
  down: "M4 6l4 4 4-4",
  hand: "M4 13.500V7M12 13.500V7M2.500 7h11M5.500 7V4.500a2.500 2.500 0 0 1 5 0V7",
  refresh: "M13 8a5 5 0 1 1-1.500-3.500M11.800 1.800v3h-3",
  target: "M8 13a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM8 1v3M8 12v3M1 8h3M12 8h3",
};

/** An icon by its name. */
export function icon(name: string): SVGSVGElement {
  const area = ICONS[`${name}*`];
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", area ? "icon icon-area" : "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", area ?? ICONS[name] ?? "");
  svg.append(path);
  return svg;
}
