// Numbers over time for the plots: one column of times, one column for each quantity. The recorded past comes by a question, the present with
// the frames. When time goes back and runs on from there, what came after is forgotten, as the program forgets it.

import type { Frame } from "../frame";
import type { BacklogAnswer } from "../protocol";

/** Rows kept; beyond, every second row of the older half goes. */
const MOST_ROWS = 30_000;

export class Table {
  time: number[] = [];
  /** Ticks of the same moments. */
  ticks: number[] = [];
  columns = new Map<string, (number | null)[]>();

  setNames(names: string[]): void {
    const columns = new Map<string, (number | null)[]>();
    for (const name of names) columns.set(name, this.columns.get(name) ?? this.time.map(() => null));
    this.columns = columns;
    if (names.length === 0) this.time = this.ticks = [];
  }

  /** The recorded past, in place of what is here up to its end. */
  takePast(past: BacklogAnswer): void {
    const time = (past.values[past.names.indexOf("time")] ?? []).map((t) => t ?? NaN);
    const keep = firstAt(this.ticks, (past.ticks.at(-1) ?? -1) + 1);
    const rest = this.time.slice(keep);
    this.time = [...time, ...rest];
    this.ticks = [...past.ticks, ...this.ticks.slice(keep)];
    for (const [name, column] of this.columns) {
      const before = past.values[past.names.indexOf(name)] ?? time.map(() => null);
      this.columns.set(name, [...before, ...column.slice(keep)]);
    }
  }

  /** The present; true if something was added or forgotten. */
  see(frame: Frame): boolean {
    if (frame.past || this.columns.size === 0) return false;
    const last = this.time.at(-1) ?? -Infinity;
    if (frame.time === last) return false;
    if (frame.time < last) this.forgetFrom(frame.time);
    this.time.push(frame.time);
    this.ticks.push(frame.tick);
    for (const [name, column] of this.columns) column.push(frame.values[name] ?? null);
    if (this.time.length > MOST_ROWS) this.thin();
    return true;
  }

  clear(): void {
    this.time = [];
    this.ticks = [];
    for (const name of this.columns.keys()) this.columns.set(name, []);
  }

  /** The tick of the kept moment that is nearest to a time. */
  tickAt(time: number): number | undefined {
    const at = firstAt(this.time, time);
    const before = at > 0 && time - this.time[at - 1]! < (this.time[at] ?? Infinity) - time;
    return this.ticks[before ? at - 1 : at];
  }

  /** Rows of the last so many seconds, as uPlot wants them. */
  window(names: string[], span: number): [number[], ...(number | null)[][]] {
    const end = this.time.at(-1) ?? 0;
    const from = Number.isFinite(span) ? firstAt(this.time, end - span) : 0;
    return [this.time.slice(from), ...names.map((n) => (this.columns.get(n) ?? []).slice(from))];
  }

  private forgetFrom(time: number): void {
    const at = firstAt(this.time, time);
    this.time.length = this.ticks.length = at;
    for (const column of this.columns.values()) column.length = at;
  }

  private thin(): void {
    const half = MOST_ROWS / 2;
    const keep = (_: unknown, i: number) => i > half || i % 2 === 0;
    this.time = this.time.filter(keep);
    this.ticks = this.ticks.filter(keep);
    for (const [name, column] of this.columns) this.columns.set(name, column.filter(keep));
  }
}

/** Index of the first time at or after this one. */
function firstAt(times: number[], time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
