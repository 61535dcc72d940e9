import { type ImageHeader, type Reader, refuse, UPRIGHT } from './bytes.ts';

const FIRST_BLOCK = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const IMAGE_BYTES = 10;
/** Largest LZW minimum code size, in bits (GIF89a, appendix F). */
const MAX_CODE_BITS = 8;

/** Size in bytes of the colour table that a packed field declares. */
const colours = (packed: number) => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1));

/** Offset after the sub-blocks that begin at `start`. */
function skipBlocks(reader: Reader, start: number): number {
  let at = start;
  for (let size = reader.u8(at); size !== 0; size = reader.u8(at)) {
    reader.step(1);
    at += size + 1;
  }
  return at + 1;
}

/** Parses the blocks up to the end of the first frame. */
export function readGif(reader: Reader): ImageHeader {
  const width = reader.u16(6, true);
  const height = reader.u16(8, true);
  let at = FIRST_BLOCK + colours(reader.u8(10));
  while (reader.u8(at) === EXTENSION) at = skipBlocks(reader, at + 2);
  if (reader.u8(at) !== IMAGE) refuse('the GIF has no frame');
  const [left, top] = [reader.u16(at + 1, true), reader.u16(at + 3, true)];
  const [frameWidth, frameHeight] = [reader.u16(at + 5, true), reader.u16(at + 7, true)];
  // A decoder allocates memory by the size of the frame, even when the screen is smaller.
  if (frameWidth === 0 || frameHeight === 0 || left + frameWidth > width || top + frameHeight > height) {
    refuse('a frame of the GIF exceeds its screen');
  }
  const codes = at + IMAGE_BYTES + colours(reader.u8(at + 9));
  if (reader.u8(codes) > MAX_CODE_BITS) refuse('the code size of the GIF is invalid');
  if (reader.u8(codes + 1) === 0) refuse('the frame of the GIF is empty');
  skipBlocks(reader, codes + 1);
  return { format: 'gif', width, height, orientation: UPRIGHT };
}
