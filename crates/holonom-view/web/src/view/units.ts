// Numbers for people: three figures and a unit.

/** 37 N, 1.25 kN, 0.4 mN: three figures at most. */
export function figure(x: number, unit: string): string {
  if (!Number.isFinite(x)) return `– ${unit}`;
  const a = Math.abs(x);
  if (a === 0) return `0 ${unit}`;
  const [factor, prefix] = a >= 1e6 ? [1e-6, "M"] : a >= 1e3 ? [1e-3, "k"] : a >= 0.1 ? [1, ""] : a >= 1e-4 ? [1e3, "m"] : [1e6, "µ"];
  // accelerations and speeds read better without prefixes
  const [f, p] = unit.startsWith("m/") ? [1, ""] : [factor, prefix];
  const v = x * f;
  const text = Math.abs(v) >= 100 || Number.isInteger(v) ? v.toFixed(0) : Math.abs(v) >= 10 ? v.toFixed(1) : Number(v.toPrecision(3)).toString();
  return `${text} ${p}${unit}`;
}
