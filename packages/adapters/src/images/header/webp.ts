import { type ByteReader, CHUNK_COST, type ImageHeader, refuse, UPRIGHT, type WebpFrame } from './bytes.ts';
import { readOrientation } from './exif.ts';

const FIRST_CHUNK = 12;
const CHUNK_HEADER = 8;
const FRAME_HEADER = 16;

interface Chunk {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Yields the chunks from `from` to `to`; data of an odd length is padded (RFC 9649, section 2.3). */
function* chunksOf(reader: ByteReader, from: number, to: number): Generator<Chunk> {
  for (let at = from; at + CHUNK_HEADER <= to; ) {
    reader.step(CHUNK_COST);
    const start = at + CHUNK_HEADER;
    const end = start + reader.u32(at + 4, true);
    if (end > to) refuse('it is truncated');
    yield { type: reader.text(at, 4), start, end };
    at = end + (end & 1);
  }
}

function lossySize(reader: ByteReader, at: number): { width: number; height: number } {
  if ((reader.u8(at) & 1) !== 0 || reader.u24(at + 3) !== 0x2a019d) refuse('the WebP has no key frame');
  return { width: reader.u16(at + 6, true) & 0x3fff, height: reader.u16(at + 8, true) & 0x3fff };
}

function losslessSize(reader: ByteReader, at: number): { width: number; height: number } {
  if (reader.u8(at) !== 0x2f) refuse('the WebP has no image data');
  const bits = reader.u32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

const canvasSize = (reader: ByteReader, at: number) => ({
  width: reader.u24(at + 4) + 1,
  height: reader.u24(at + 7) + 1,
});

function frameOf(reader: ByteReader, { start, end }: Chunk): WebpFrame {
  return {
    x: reader.u24(start) * 2,
    y: reader.u24(start + 3) * 2,
    width: reader.u24(start + 6) + 1,
    height: reader.u24(start + 9) + 1,
    start: start + FRAME_HEADER,
    end,
  };
}

function bitstreamSize(reader: ByteReader, { type, start }: Chunk): { width: number; height: number } | null {
  if (type === 'VP8 ') return lossySize(reader, start);
  return type === 'VP8L' ? losslessSize(reader, start) : null;
}

/** Returns the size in the image data of a list of chunks. */
function pictureSize(reader: ByteReader, from: number, to: number): { width: number; height: number } | null {
  for (const chunk of chunksOf(reader, from, to)) {
    const size = bitstreamSize(reader, chunk);
    if (size !== null) return size;
  }
  return null;
}

const isSame = (a: { width: number; height: number } | null, b: { width: number; height: number }) =>
  a !== null && a.width === b.width && a.height === b.height;

export function readWebp(reader: ByteReader): ImageHeader {
  const end = 8 + reader.u32(4, true);
  reader.expect(end);
  const [first, ...others] = chunksOf(reader, FIRST_CHUNK, end);
  if (first === undefined) refuse('the WebP is empty');
  if (first.type !== 'VP8X') {
    const size = bitstreamSize(reader, first);
    if (size === null) refuse('the WebP has no image data');
    return { format: 'webp', ...size, isPlain: first.type === 'VP8 ', orientation: UPRIGHT };
  }
  const size = canvasSize(reader, first.start);
  const exif = others.find(({ type }) => type === 'EXIF');
  // Some writers prefix it as in JPEG's EXIF segment.
  const skip = exif !== undefined && reader.text(exif.start, 4) === 'Exif' ? 6 : 0;
  const { orientation = UPRIGHT, repairs = [] } =
    exif === undefined ? {} : readOrientation(reader, exif.start + skip, exif.end);
  const animated = others.find(({ type }) => type === 'ANMF');
  if (animated === undefined) {
    if (!isSame(pictureSize(reader, first.end, end), size)) refuse('the sizes in the WebP differ');
    return { format: 'webp', ...size, orientation, repairs };
  }
  const frame = frameOf(reader, animated);
  const isInside = frame.x + frame.width <= size.width && frame.y + frame.height <= size.height;
  if (!isInside || !isSame(pictureSize(reader, frame.start, frame.end), frame)) {
    refuse('the first frame of the WebP exceeds its canvas');
  }
  return { format: 'webp', ...size, orientation, repairs, frame };
}
