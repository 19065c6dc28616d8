// Numbers for people: a few digits, a true minus sign, SI prefixes where they help. All input is in SI units.

/** A number with so many significant digits; powers of ten where it is very large or small. */
export function number(x: number | null | undefined, digits = 4): string {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? power(size, digits) : fixed(size, digits);
  return x < 0 ? `−${text}` : text;
}

/** A short one: 3e-15, 0.25, 1200. */
export function short(x: number): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? size.toExponential(0).replace("e+", "e") : String(Number(size.toPrecision(3)));
  return x < 0 ? `−${text}` : text;
}

/** A number at an axis: as many digits as it has, up to six. */
export function tickText(x: number): string {
  const size = Math.abs(Number(x.toPrecision(6)));
  if (size === 0) return "0";
  const text = size >= 1e5 || size < 1e-3 ? String(Number(size.toPrecision(4)).toExponential()).replace("e+", "e") : String(size);
  return x < 0 ? `−${text}` : text;
}

function fixed(size: number, digits: number): string {
  // below 1 so many decimals: a number that passes through zero keeps its width
  const whole = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  return size.toFixed(Math.max(0, digits - whole));
}

function power(size: number, digits: number): string {
  return size.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
}

const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
];

/** A quantity with a prefix before its unit: 1500, "N" -> "1.5 kN". */
export function withPrefix(x: number, unit: string, digits = 3): string {
  if (!Number.isFinite(x) || x === 0) return `${number(x)} ${unit}`;
  const size = Math.abs(x);
  const [scale, prefix] = PREFIXES.find(([s]) => size >= s * 0.9995) ?? [1, ""];
  if (size < 1e-9 || size >= 1e13) return `${short(x)} ${unit}`;
  return `${x < 0 ? "−" : ""}${Number((size / scale).toPrecision(digits))} ${prefix}${unit}`;
}

/** Units as they are written in tables: middle dots and superscripts. */
export function unitText(unit: string): string {
  if (unit === "1" || unit === "") return "";
  return unit.replaceAll("^2", "²").replaceAll("^3", "³").replaceAll("^-1", "⁻¹").replaceAll("*", "·");
}

/** Simulated time: "3.214 s". */
export function seconds(t: number): string {
  return `${t.toFixed(3)} s`;
}

/** A factor: "0.25×". */
export function times(x: number): string {
  return `${x >= 0.995 ? Number(x.toFixed(2)) : Number(x.toPrecision(2))}×`;
}
