import { type ByteReader, type Repair, UPRIGHT } from './bytes.ts';

const ORIENTATION_TAG = 0x0112;
const SHORT = 3;
const ENTRY_BYTES = 12;

/** Readers of TIFF's integer types. Some writers use types other than SHORT, which TIFF prescribes. */
const INTEGERS: Readonly<Record<number, (reader: ByteReader, at: number, little: boolean) => number>> = {
  1: (reader, at) => reader.u8(at),
  3: (reader, at, little) => reader.u16(at, little),
  4: (reader, at, little) => reader.u32(at, little),
  6: (reader, at) => reader.u8(at),
  8: (reader, at, little) => reader.u16(at, little),
  9: (reader, at, little) => reader.u32(at, little),
};

/** Creates a directory entry of the type that TIFF prescribes. */
function entryOf(orientation: number, little: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(ENTRY_BYTES));
  view.setUint16(0, ORIENTATION_TAG, little);
  view.setUint16(2, SHORT, little);
  view.setUint32(4, 1, little);
  view.setUint16(8, orientation, little);
  return new Uint8Array(view.buffer);
}

/** EXIF orientation, and the repair that makes it readable by every decoder. */
export interface Orientation {
  readonly orientation: number;
  readonly repairs: readonly Repair[];
}

const NONE: Orientation = { orientation: UPRIGHT, repairs: [] };

function orientationIn(reader: ByteReader, entry: number, little: boolean): Orientation {
  const type = reader.u16(entry + 2, little);
  const orientation = INTEGERS[type]?.(reader, entry + 8, little) ?? UPRIGHT;
  if (orientation < 1 || orientation > 8) return NONE;
  return { orientation, repairs: type === SHORT ? [] : [{ at: entry, bytes: entryOf(orientation, little) }] };
}

/**
 * Reads the orientation in EXIF data (TIFF 6.0, tag 0x0112 of the first directory) from `start` to `end`. It is upright
 * if missing or invalid, because bad metadata does not make an image unreadable.
 */
export function readOrientation(reader: ByteReader, start: number, end: number): Orientation {
  if (end - start < 14 || end > reader.length) return NONE;
  const order = reader.text(start, 2);
  if (order !== 'II' && order !== 'MM') return NONE;
  const little = order === 'II';
  const directory = start + reader.u32(start + 4, little);
  if (directory + 2 > end) return NONE;
  const count = reader.u16(directory, little);
  for (let i = 0; i < count; i++) {
    const entry = directory + 2 + i * ENTRY_BYTES;
    if (entry + ENTRY_BYTES > end) return NONE;
    if (reader.u16(entry, little) === ORIENTATION_TAG) return orientationIn(reader, entry, little);
  }
  return NONE;
}
