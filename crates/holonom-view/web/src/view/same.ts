// Do two frames show the same? While time stands still frames may come all the same, and drawing them again would only warm the room.

import type { Frame } from "../frame";

export function sameSight(a: Frame | null, b: Frame): boolean {
  if (!a || a.revision !== b.revision || a.tick !== b.tick || a.past !== b.past) return false;
  if (a.hands.length !== b.hands.length || (a.hands.length > 0 && JSON.stringify(a.hands) !== JSON.stringify(b.hands))) return false;
  if (a.sections.length !== b.sections.length) return false;
  for (const { name } of b.sections) {
    const [p, q] = [a.parts[name], b.parts[name]];
    if (!p || !q || p.data.length !== q.data.length) return false;
    // as bits: NaN is equal to itself
    const x = new Uint32Array(p.data.buffer, p.data.byteOffset, p.data.length);
    const y = new Uint32Array(q.data.buffer, q.data.byteOffset, q.data.length);
    for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
  }
  return true;
}
