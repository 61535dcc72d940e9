import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'vitest';
import { formatOf } from './decode.ts';

/** Width and height of every fixture, in pixels. */
export const WIDTH = 96;
export const HEIGHT = 64;

/** Colours of the quadrants of the fixtures, from the top left to the bottom right. */
export const QUADRANTS = [
  [220, 40, 40],
  [40, 180, 60],
  [50, 70, 210],
  [230, 210, 60],
] as const;

/** Quadrants of the stored image in the order in which they are seen, for each orientation (EXIF 2.32, table 6). */
export const SEEN_QUADRANTS: Readonly<Record<number, readonly number[]>> = {
  1: [0, 1, 2, 3],
  2: [1, 0, 3, 2],
  3: [3, 2, 1, 0],
  4: [2, 3, 0, 1],
  5: [0, 2, 1, 3],
  6: [2, 0, 3, 1],
  7: [3, 1, 2, 0],
  8: [1, 3, 0, 2],
};

/** Compares quadrants. Tolerant enough for a lossy codec and a palette, strict enough to distinguish the quadrants. */
export function expectQuadrants(
  actual: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
): void {
  for (const [i, colour] of expected.entries()) {
    for (const [channel, value] of colour.entries()) {
      const seen = actual[i]?.[channel] ?? -1;
      expect([i, channel, Math.abs(seen - value) <= 30, seen, value]).toEqual([i, channel, true, seen, value]);
    }
  }
}

/** Returns a fresh copy of an image in `fixtures/images` of this package. */
export function fixture(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../../fixtures/images/${name}`, import.meta.url)));
}

/** Returns EXIF data that contains only an orientation. */
function exif(orientation: number, order: 'II' | 'MM'): Buffer {
  const data = Buffer.alloc(26);
  data.write(order, 0, 'latin1');
  const u16 = (value: number, at: number) =>
    order === 'II' ? data.writeUInt16LE(value, at) : data.writeUInt16BE(value, at);
  const u32 = (value: number, at: number) =>
    order === 'II' ? data.writeUInt32LE(value, at) : data.writeUInt32BE(value, at);
  u16(42, 2);
  u32(8, 4);
  u16(1, 8);
  u16(0x0112, 10);
  u16(3, 12);
  u32(1, 14);
  u16(orientation, 18);
  return data;
}

function jpegWith(bytes: Uint8Array, data: Buffer): Buffer {
  const marker = Buffer.from([0xff, 0xe1, 0, data.length + 8]);
  return Buffer.concat([bytes.subarray(0, 2), marker, Buffer.from('Exif\0\0'), data, bytes.subarray(2)]);
}

/** Returns a chunk of a PNG. */
export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const PNG_HEADER_END = 33;

function webpChunk(type: string, data: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
}

function webpWith(bytes: Uint8Array, data: Buffer): Buffer {
  const header = Buffer.alloc(10);
  header[0] = 0x08;
  header.writeUIntLE(WIDTH - 1, 4, 3);
  header.writeUIntLE(HEIGHT - 1, 7, 3);
  const chunks = Buffer.concat([webpChunk('VP8X', header), bytes.subarray(12), webpChunk('EXIF', data)]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(chunks.length + 4);
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), chunks]);
}

/** Returns the image with EXIF data for this orientation. */
export function withOrientation(bytes: Uint8Array, orientation: number, order: 'II' | 'MM' = 'MM'): Uint8Array {
  const data = exif(orientation, order);
  switch (formatOf(bytes)) {
    case 'jpeg':
      return jpegWith(bytes, data);
    case 'png':
      return Buffer.concat([bytes.subarray(0, PNG_HEADER_END), pngChunk('eXIf', data), bytes.subarray(PNG_HEADER_END)]);
    default:
      return webpWith(bytes, data);
  }
}

function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), pngChunk('IHDR', header)]);
}

/** Returns an opaque PNG of noise. */
export function noisyPng(width: number, height: number): Buffer {
  const rows = Array.from({ length: height }, () => {
    const row = randomBytes(1 + width * 4);
    row[0] = 0;
    for (let alpha = 4; alpha < row.length; alpha += 4) row[alpha] = 255;
    return row;
  });
  const picture = pngChunk('IDAT', deflateSync(Buffer.concat(rows)));
  return Buffer.concat([pngHeader(width, height), picture, pngChunk('IEND', Buffer.alloc(0))]);
}

/** Returns a PNG whose header specifies these dimensions, without pixel data. */
export function emptyPng(width: number, height: number): Buffer {
  const picture = pngChunk('IDAT', Buffer.from('789c030000000001', 'hex'));
  return Buffer.concat([pngHeader(width, height), picture, pngChunk('IEND', Buffer.alloc(0))]);
}
