import { type Reader, UPRIGHT } from './bytes.ts';

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;

/**
 * The orientation in EXIF data (TIFF 6.0, tag 0x0112 of the first directory) from `start` to `end`; upright when it
 * is missing or invalid, because bad metadata does not make an image unreadable.
 */
export function readOrientation(reader: Reader, start: number, end: number): number {
  if (end - start < 14 || end > reader.length) return UPRIGHT;
  const order = reader.text(start, 2);
  if (order !== 'II' && order !== 'MM') return UPRIGHT;
  const little = order === 'II';
  const directory = start + reader.u32(start + 4, little);
  if (directory + 2 > end) return UPRIGHT;
  const count = reader.u16(directory, little);
  for (let i = 0; i < count; i++) {
    const entry = directory + 2 + i * ENTRY_BYTES;
    if (entry + ENTRY_BYTES > end) return UPRIGHT;
    if (reader.u16(entry, little) !== ORIENTATION_TAG || reader.u16(entry + 2, little) !== SHORT) continue;
    const orientation = reader.u16(entry + 8, little);
    return orientation >= 1 && orientation <= 8 ? orientation : UPRIGHT;
  }
  return UPRIGHT;
}
