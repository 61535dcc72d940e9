import type { ImageSize } from '@baobab/core';
import { type ByteReader, CHUNK_COST, type ImageHeader, type Repair, refuse, UPRIGHT } from './bytes.ts';
import { readOrientation } from './exif.ts';

const MARKER = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;
const END_MARKER = Buffer.from([MARKER, END_OF_IMAGE]);
const APP1 = 0xe1;
const EXIF = 'Exif\0\0';

/** True for SOF0 to SOF15, except the three codes in that range with another meaning (ITU-T T.81, table B.1). */
const isFrame = (code: number) => code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
/** True for TEM and RSTn, which have no length and no data. */
const isBare = (code: number) => code === 0x01 || (code >= 0xd0 && code <= 0xd7);

interface Segment {
  readonly code: number;
  /** Offset of its length field. */
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the offset of the last 0xff before the code of the next marker. Fill bytes and garbage are skipped, as in
 * decoders.
 */
function nextMarker(reader: ByteReader, from: number): number {
  let at = from;
  for (; reader.u8(at) !== MARKER || reader.u8(at + 1) === MARKER || reader.u8(at + 1) === 0; at++) reader.step(1);
  return at;
}

/** Yields the segments before the first scan, and the header of that scan. */
function* segmentsOf(reader: ByteReader): Generator<Segment> {
  for (let at = 2; ; ) {
    reader.step(CHUNK_COST);
    at = nextMarker(reader, at);
    const code = reader.u8(at + 1);
    at += 2;
    if (code === END_OF_IMAGE) refuse('the JPEG has no image data');
    if (isBare(code)) continue;
    const length = reader.u16(at);
    if (length < 2) refuse('a segment of the JPEG has no length');
    reader.expect(at + length);
    yield { code, start: at, end: at + length };
    if (code === START_OF_SCAN) return;
    at += length;
  }
}

function isExif(reader: ByteReader, { code, start, end }: Segment): boolean {
  return code === APP1 && end - start > 8 && reader.text(start + 2, EXIF.length) === EXIF;
}

/**
 * Adds a missing end marker, which cameras and optimizers omit. Decoders would report missing data, even if none is
 * missing.
 */
function endOf(bytes: Uint8Array, from: number): readonly Repair[] {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file.lastIndexOf(END_MARKER) >= from ? [] : [{ at: bytes.length, bytes: END_MARKER }];
}

/** True for progressive frames: SOF2, SOF6, SOF10 and SOF14. */
const isProgressive = (code: number) => (code & 3) === 2;

const BLOCK = 8;
const BYTES_PER_COEFFICIENT = 2;

/** Returns the bytes of the coefficients of all components, whose sides are rounded up to the blocks of the largest. */
function coefficientBytes(reader: ByteReader, frame: number, width: number, height: number): number {
  const count = reader.u8(frame + 7);
  const factors = Array.from({ length: count }, (_, i) => reader.u8(frame + 9 + 3 * i));
  const [across, down] = [factors.map((factor) => factor >> 4), factors.map((factor) => factor & 15)];
  const [mostAcross, mostDown] = [Math.max(1, ...across), Math.max(1, ...down)];
  const units = Math.ceil(width / (BLOCK * mostAcross)) * Math.ceil(height / (BLOCK * mostDown));
  const blocks = across.reduce((sum, factor, i) => sum + factor * (down[i] as number), 0);
  return units * blocks * BLOCK * BLOCK * BYTES_PER_COEFFICIENT;
}

/** Decoders keep all coefficients of a progressive image, and of one whose components are in different scans. */
function bufferedBytes(reader: ByteReader, frame: Segment, scan: Segment | undefined, size: ImageSize): number {
  const channels = reader.u8(frame.start + 7);
  const isWhole = scan !== undefined && reader.u8(scan.start + 2) === channels;
  if (isWhole && !isProgressive(frame.code)) return 0;
  return coefficientBytes(reader, frame.start, size.width, size.height);
}

export function readJpeg(reader: ByteReader, bytes: Uint8Array): ImageHeader {
  const segments = Array.from(segmentsOf(reader));
  const [frame, second] = segments.filter(({ code }) => isFrame(code));
  if (frame === undefined) refuse('the JPEG has no frame');
  if (second !== undefined) refuse('the JPEG has two frames');
  const exif = segments.find((segment) => isExif(reader, segment));
  const turned = exif && readOrientation(reader, exif.start + 2 + EXIF.length, exif.end);
  const size = { width: reader.u16(frame.start + 5), height: reader.u16(frame.start + 3) };
  return {
    format: 'jpeg',
    ...size,
    buffered: bufferedBytes(reader, frame, segments.at(-1), size),
    channels: reader.u8(frame.start + 7),
    orientation: turned?.orientation ?? UPRIGHT,
    repairs: [...(turned?.repairs ?? []), ...endOf(bytes, segments.at(-1)?.end ?? 0)],
  };
}
