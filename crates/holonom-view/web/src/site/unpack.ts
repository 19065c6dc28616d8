// Unpacks what build.mjs has packed with LZMA: for code a third smaller than gzip, which browsers unpack by themselves. The format (as in `xz --format=lzma`): a byte for lc, lp and pb, four for the
// size of the dictionary, eight for the size of the whole, little endian; then one stream of a range coder.
//
// Every bit is decoded with a probability that adapts: 11 bits of it, moved by 1/32 of the way towards what came. A symbol is a literal, or a match: so many bytes again from so far back. What is
// written out serves as the dictionary.

const TOP = 1 << 24;

/** The bytes behind a header of 13; fails where the stream is cut short or makes no sense. */
export function unpack(from: Uint8Array): Uint8Array<ArrayBuffer> {
  if (from.length < 18) throw new Error("it is cut short");
  const props = from[0]!;
  const [lc, lp, pb] = [props % 9, Math.floor(props / 9) % 5, Math.floor(props / 45)];
  const view = new DataView(from.buffer, from.byteOffset);
  const size = view.getUint32(5, true);
  // a stream that does not say how long it is ends with a sign; ours are asked to say it, or to be read until the sign
  const known = !(size === 0xffffffff && view.getUint32(9, true) === 0xffffffff);
  if (pb > 4 || (known && view.getUint32(9, true) !== 0)) throw new Error("it makes no sense");
  let out = new Uint8Array(known ? size : 1 << 23);
  let at = 0;

  // ---- the range coder ----
  let place = 18;
  // range and code; as plain variables of 32 bits they would be boxed at every bit
  const coder = new Uint32Array([0xffffffff, view.getUint32(14, false)]);
  const chances = new Uint16Array(1846 + (0x300 << (lc + lp))).fill(1024);

  const bit = (k: number): number => {
    const chance = chances[k]!;
    const bound = (coder[0]! >>> 11) * chance;
    let b = 0;
    if (coder[1]! < bound) {
      coder[0] = bound;
      chances[k] = chance + ((2048 - chance) >> 5);
    } else {
      coder[0] = coder[0]! - bound;
      coder[1] = coder[1]! - bound;
      chances[k] = chance - (chance >> 5);
      b = 1;
    }
    if (coder[0]! < TOP) {
      coder[0] = coder[0]! << 8;
      coder[1] = (coder[1]! << 8) | from[place++]!;
    }
    return b;
  };
  /** So many bits, the highest first, each with a chance that depends on those before. */
  const tree = (base: number, bits: number): number => {
    let m = 1;
    for (let i = 0; i < bits; i++) m = (m << 1) | bit(base + m);
    return m - (1 << bits);
  };
  /** The same, the lowest first. */
  const reverse = (base: number, bits: number): number => {
    let m = 1, symbol = 0;
    for (let i = 0; i < bits; i++) {
      const b = bit(base + m);
      m = (m << 1) | b;
      symbol |= b << i;
    }
    return symbol;
  };
  const direct = (bits: number): number => {
    let result = 0;
    for (let i = 0; i < bits; i++) {
      coder[0] = coder[0]! >>> 1;
      const b = coder[1]! >= coder[0]! ? 1 : 0;
      if (b) coder[1] = coder[1]! - coder[0]!;
      result = result * 2 + b;
      if (coder[0]! < TOP) {
        coder[0] = coder[0]! << 8;
        coder[1] = (coder[1]! << 8) | from[place++]!;
      }
    }
    return result;
  };

  // ---- where the chances of what stand ----
  const MATCH = 0, REP = 192, REP0 = 204, REP1 = 216, REP2 = 228, LONG = 240, SLOT = 432, POSITIONS = 688, ALIGN = 802, LENGTH = 818, AGAIN = 1332, LITERAL = 1846;
  const length = (base: number, position: number): number => {
    if (!bit(base)) return tree(base + 2 + (position << 3), 3);
    if (!bit(base + 1)) return 8 + tree(base + 130 + (position << 3), 3);
    return 16 + tree(base + 258, 8);
  };

  let state = 0;
  let back = [0, 0, 0, 0];
  while (!known || at < size) {
    if (place > from.length + 4) throw new Error("it is cut short");
    const position = at & ((1 << pb) - 1);
    if (!bit(MATCH + (state << 4) + position)) {
      const before = at > 0 ? out[at - 1]! : 0;
      const base = LITERAL + 0x300 * (((at & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let match = out[at - back[0]! - 1]!;
        do {
          const wanted = (match >> 7) & 1;
          match <<= 1;
          const b = bit(base + ((1 + wanted) << 8) + symbol);
          symbol = (symbol << 1) | b;
          if (wanted !== b) break;
        } while (symbol < 0x100);
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(base + symbol);
      if (at === out.length) out = grown(out);
      out[at++] = symbol & 0xff;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let n: number;
    if (bit(REP + state)) {
      if (!bit(REP0 + state)) {
        if (!bit(LONG + (state << 4) + position)) {
          state = state < 7 ? 9 : 11;
          if (at === out.length) out = grown(out);
          out[at] = out[at - back[0]! - 1]!;
          at++;
          continue;
        }
      } else {
        let far: number;
        if (!bit(REP1 + state)) far = back[1]!;
        else {
          if (!bit(REP2 + state)) far = back[2]!;
          else {
            far = back[3]!;
            back[3] = back[2]!;
          }
          back[2] = back[1]!;
        }
        back[1] = back[0]!;
        back[0] = far;
      }
      n = length(AGAIN, position);
      state = state < 7 ? 8 : 11;
    } else {
      back = [0, back[0]!, back[1]!, back[2]!];
      n = length(LENGTH, position);
      state = state < 7 ? 7 : 10;
      const slot = tree(SLOT + (Math.min(n, 3) << 6), 6);
      let far = slot;
      if (slot >= 4) {
        const bits = (slot >> 1) - 1;
        far = (2 | (slot & 1)) * 2 ** bits;
        if (slot < 14) far += reverse(POSITIONS + far - slot - 1, bits);
        else far += direct(bits - 4) * 16 + reverse(ALIGN, 4);
      }
      if (far === 0xffffffff) break;
      back[0] = far;
    }
    const far = back[0]! + 1;
    if (far > at) throw new Error("it makes no sense");
    n += 2;
    if (known && n > size - at) throw new Error("it makes no sense");
    while (at + n > out.length) out = grown(out);
    for (; n > 0; n--, at++) out[at] = out[at - far]!;
  }
  return out.subarray(0, at);
}

function grown(out: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(2 * out.length);
  more.set(out);
  return more;
}
