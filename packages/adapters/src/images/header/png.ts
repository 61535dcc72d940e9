import { CHUNK_COST, type ImageHeader, type Reader, refuse, UPRIGHT } from './bytes.ts';
import { readOrientation } from './exif.ts';

const FIRST_CHUNK = 8;
/** Bytes of length, type and checksum of a chunk. */
const AROUND = 12;

/** Parses all chunks, which shows whether the file is complete (PNG, third edition, section 5). */
export function readPng(reader: Reader): ImageHeader {
  if (reader.u32(FIRST_CHUNK) !== 13 || reader.text(FIRST_CHUNK + 4, 4) !== 'IHDR') refuse('the PNG has no header');
  const width = reader.u32(FIRST_CHUNK + 8);
  const height = reader.u32(FIRST_CHUNK + 12);
  let orientation = UPRIGHT;
  let hasPicture = false;
  for (let at = FIRST_CHUNK; ; ) {
    reader.step(CHUNK_COST);
    const length = reader.u32(at);
    const type = reader.text(at + 4, 4);
    reader.expect(at + AROUND + length);
    if (type === 'IEND') break;
    if (type === 'IHDR' && at !== FIRST_CHUNK) refuse('the PNG has two headers');
    if (type === 'IDAT') hasPicture = true;
    if (type === 'eXIf') orientation = readOrientation(reader, at + 8, at + 8 + length);
    at += AROUND + length;
  }
  if (!hasPicture) refuse('the PNG has no image data');
  return { format: 'png', width, height, orientation };
}
