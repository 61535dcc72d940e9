import type { ImageFormat } from '@baobab/core';
import { AppError } from '@baobab/core';

/** Header of an image. */
export interface ImageHeader {
  readonly format: ImageFormat;
  /** Stored size in pixels, before rotation. */
  readonly width: number;
  readonly height: number;
  /** EXIF orientation: 1 upright, 2 to 4 mirrored or rotated by 180°, 5 to 8 with width and height swapped. */
  readonly orientation: number;
  /** Colour components of a JPEG pixel: 4 for CMYK. */
  readonly channels?: number;
  /**
   * Bytes that every decoder keeps until the whole file is read: coefficients of a JPEG with several scans, and pixels
   * of an interlaced PNG. Absent if rows are decoded one after the other.
   */
  readonly buffered?: number;
  /** True for a WebP that is lossy and opaque, which is decoded in a smaller size. */
  readonly isPlain?: boolean;
  /** First frame of a WebP animation. */
  readonly frame?: WebpFrame;
  /** Repairs of defects that browsers tolerate and decoders do not. */
  readonly repairs?: readonly Repair[];
}

/** Bytes that replace those of the file from an offset, which may be its end. */
export interface Repair {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export interface WebpFrame {
  /** Position and size on the canvas, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Byte range of its chunks in the file. */
  readonly start: number;
  readonly end: number;
}

export const UPRIGHT = 1;

/** @throws `image.unreadable`, always */
export function refuse(detail: string): never {
  throw new AppError('image.unreadable', { detail });
}

/** Reads numbers from a file. Reading beyond the end means that the file is truncated. */
export interface ByteReader {
  readonly length: number;
  u8(at: number): number;
  u16(at: number, littleEndian?: boolean): number;
  u24(at: number): number;
  u32(at: number, littleEndian?: boolean): number;
  /** Latin-1 text. */
  text(at: number, length: number): string;
  /** Counts parse steps. @throws `image.unreadable` if there are more than any image needs */
  step(cost: number): void;
  /** @throws `image.unreadable` if the file ends before `end` */
  expect(end: number): void;
}

/** Maximum parse steps: headers are parsed on the event loop, which millions of empty chunks must not block. */
const MAX_STEPS = 400_000;
/** Steps per chunk or segment. A GIF sub-block, of at most 255 bytes, takes 1 step. */
export const CHUNK_COST = 10;

export function createReader(bytes: Uint8Array): ByteReader {
  let steps = 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  function expect(end: number): void {
    if (end > bytes.length) refuse('it is truncated');
  }

  function checked<T>(end: number, read: () => T): T {
    expect(end);
    return read();
  }

  return {
    length: bytes.length,
    u8: (at) => checked(at + 1, () => view.getUint8(at)),
    u16: (at, littleEndian = false) => checked(at + 2, () => view.getUint16(at, littleEndian)),
    u24: (at) => checked(at + 3, () => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)),
    u32: (at, littleEndian = false) => checked(at + 4, () => view.getUint32(at, littleEndian)),
    text: (at, length) => checked(at + length, () => String.fromCharCode(...bytes.subarray(at, at + length))),
    step(cost) {
      steps += cost;
      if (steps > MAX_STEPS) refuse('it has too many parts');
    },
    expect,
  };
}
