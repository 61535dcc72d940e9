import { type ByteReader, CHUNK_COST, type ImageHeader, refuse, UPRIGHT } from './bytes.ts';
import { readOrientation } from './exif.ts';

const FIRST_CHUNK = 8;
/** Bytes of length, type and checksum of a chunk. */
const AROUND = 12;

/** Last chunk, with its checksum. */
const END = Buffer.from('0000000049454e44ae426082', 'hex');

interface Chunk {
  readonly type: string;
  /** Offset of its length. */
  readonly at: number;
  /** Offset after its checksum; the file may end before that of the last chunk. */
  readonly end: number;
}

/** Yields the chunks up to the end. Browsers need no IEND (PNG, third edition, section 5). */
function* chunksOf(reader: ByteReader): Generator<Chunk> {
  for (let at = FIRST_CHUNK; ; ) {
    reader.step(CHUNK_COST);
    const isEnd = at + 8 > reader.length || reader.text(at + 4, 4) === 'IEND';
    if (isEnd) {
      yield { type: 'IEND', at, end: at + AROUND };
      return;
    }
    const end = at + AROUND + reader.u32(at);
    reader.expect(end);
    yield { type: reader.text(at + 4, 4), at, end };
    at = end;
  }
}

/** Samples per pixel by colour type (PNG, third edition, section 11.2.1), with the alpha that `tRNS` may add. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 2, 2: 4, 3: 4, 4: 2, 6: 4 };
const MOST_SAMPLES = 4;

/** Returns the bytes of the decoded pixels if they are interlaced, else 0. */
function bufferedBytes(reader: ByteReader, width: number, height: number): number {
  const isInterlaced = reader.u8(FIRST_CHUNK + 20) !== 0;
  if (!isInterlaced) return 0;
  const bytesPerSample = reader.u8(FIRST_CHUNK + 16) > 8 ? 2 : 1;
  return width * height * bytesPerSample * (SAMPLES[reader.u8(FIRST_CHUNK + 17)] ?? MOST_SAMPLES);
}

/** Parses all chunks, which reveals a truncated picture. */
export function readPng(reader: ByteReader): ImageHeader {
  if (reader.u32(FIRST_CHUNK) !== 13 || reader.text(FIRST_CHUNK + 4, 4) !== 'IHDR') refuse('the PNG has no header');
  const width = reader.u32(FIRST_CHUNK + 8);
  const height = reader.u32(FIRST_CHUNK + 12);
  const [, ...chunks] = chunksOf(reader);
  if (chunks.some(({ type }) => type === 'IHDR')) refuse('the PNG has two headers');
  if (!chunks.some(({ type }) => type === 'IDAT')) refuse('the PNG has no image data');
  const exif = chunks.findLast(({ type }) => type === 'eXIf');
  const { orientation } = exif ? readOrientation(reader, exif.at + 8, exif.end - 4) : { orientation: UPRIGHT };
  const repairs = chunks.filter(({ end }) => end > reader.length).map(({ at }) => ({ at, bytes: END }));
  return { format: 'png', width, height, buffered: bufferedBytes(reader, width, height), orientation, repairs };
}
