// Frames: the binary messages with what moves. See the head of `message.rs` of the program.

import type { FrameHeader, FrameSection } from "./protocol";

export interface Section {
  count: number;
  width: number;
  data: Float32Array;
}

export interface Frame extends FrameHeader {
  parts: Partial<Record<FrameSection, Section>>;
}

export function decodeFrame(buffer: ArrayBuffer): Frame {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as FrameHeader;
  let offset = 4 + length;
  const parts: Frame["parts"] = {};
  for (const { name, count, width } of header.sections) {
    parts[name] = { count, width, data: new Float32Array(buffer, offset, count * width) };
    offset += 4 * count * width;
  }
  return { ...header, parts };
}
