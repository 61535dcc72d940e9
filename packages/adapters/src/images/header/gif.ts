import { type ByteReader, type ImageHeader, refuse, UPRIGHT } from './bytes.ts';

/** Offset of the width and height of the screen. */
const SCREEN = 6;
const MAX_SIDE = 0xffff;
const FIRST_BLOCK = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const IMAGE_BYTES = 10;
/** Maximum LZW minimum code size, in bits (GIF89a, appendix F). */
const MAX_CODE_BITS = 8;

/** Returns the size in bytes of the colour table that a packed field declares. */
const colours = (packed: number) => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));

/** Returns the offset after the sub-blocks that begin at `start`. */
function skipBlocks(reader: ByteReader, start: number): number {
  let at = start;
  for (let size = reader.u8(at); size !== 0; size = reader.u8(at)) {
    reader.step(1);
    at += size + 1;
  }
  return at + 1;
}

/** Parses the blocks up to the end of the first frame. */
export function readGif(reader: ByteReader): ImageHeader {
  let at = FIRST_BLOCK + colours(reader.u8(10));
  while (reader.u8(at) === EXTENSION) at = skipBlocks(reader, at + 2);
  if (reader.u8(at) !== IMAGE) refuse('the GIF has no frame');
  const [left, top] = [reader.u16(at + 1, true), reader.u16(at + 3, true)];
  const [frameWidth, frameHeight] = [reader.u16(at + 5, true), reader.u16(at + 7, true)];
  if (frameWidth === 0 || frameHeight === 0) refuse('the first frame of the GIF has no pixels');
  // Browsers enlarge the screen to the first frame. Decoders do not, but allocate memory by the size of the frame.
  const screen = [reader.u16(SCREEN, true), reader.u16(SCREEN + 2, true)] as const;
  const [width, height] = [Math.max(screen[0], left + frameWidth), Math.max(screen[1], top + frameHeight)];
  if (width > MAX_SIDE || height > MAX_SIDE) refuse('the first frame of the GIF is outside of what a GIF can have');
  const isEnlarged = width > screen[0] || height > screen[1];
  const repairs = isEnlarged ? [{ at: SCREEN, bytes: new Uint8Array(Uint16Array.of(width, height).buffer) }] : [];
  const codes = at + IMAGE_BYTES + colours(reader.u8(at + 9));
  if (reader.u8(codes) > MAX_CODE_BITS) refuse('the code size of the GIF is invalid');
  if (reader.u8(codes + 1) === 0) refuse('the frame of the GIF is empty');
  skipBlocks(reader, codes + 1);
  return { format: 'gif', width, height, orientation: UPRIGHT, repairs };
}
