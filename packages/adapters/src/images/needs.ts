import type { ImageFormat, ImageSize } from '@baobab/core';
import type { ImageHeader } from './header/bytes.ts';
import { CHANNELS } from './picture.ts';

/** Memory needed by the codecs of an engine, in bytes, as measured and rounded up. */
interface Costs {
  /** For each pixel of the original. */
  readonly source: number;
  /** For each pixel of the result, to resize and encode it. */
  readonly target: number;
}

const MEGABYTE = 1_000_000;
const DOUBLE_BYTES = 8;
const CMYK_CHANNELS = 4;

/** A thread with its codecs. */
const WASM_THREAD = 36 * MEGABYTE;
/** The file is in the memory of JavaScript and of WebAssembly. */
const WASM_FILES = 2;
/** Pixels are in the memory of WebAssembly, and copied to that of JavaScript. */
const WASM: Readonly<Record<ImageFormat, Costs>> = {
  jpeg: { source: 8.4, target: 24 },
  png: { source: 13, target: 12 },
  gif: { source: 8, target: 12 },
  webp: { source: 13, target: 26 },
};
const WASM_PLAIN_WEBP = 9;
/** Jimp's decoder in JavaScript, which keeps the coefficients as numbers. */
const WASM_CMYK = 60;

/** Rows of the final width that are kept to compute one row of the result. */
function ringBytes({ height }: ImageHeader, size: ImageSize): number {
  const rows = Math.min(height, height / size.height + 3);
  return rows * size.width * CHANNELS * DOUBLE_BYTES;
}

function wasmSource({ format, channels, isPlain = false, frame }: ImageHeader): number {
  if (format === 'jpeg' && channels === CMYK_CHANNELS) return WASM_CMYK;
  if (isPlain) return WASM_PLAIN_WEBP;
  return WASM[format].source + (frame === undefined ? 0 : CHANNELS);
}

/**
 * Returns the memory that the WebAssembly codecs need to resize an image, in bytes.
 *
 * @param size size before rotation
 */
export function wasmNeed(header: ImageHeader, fileBytes: number, size: ImageSize): number {
  const { format, width, height, buffered = 0, orientation } = header;
  const rotated = orientation > 1 ? CHANNELS : 0;
  const source = width * height * wasmSource(header) + (format === 'jpeg' ? buffered : 0);
  const target = size.width * size.height * (WASM[format].target + rotated) + ringBytes(header, size);
  return WASM_THREAD + WASM_FILES * fileBytes + source + target;
}

/** A process with libvips and its buffers. */
const SHARP_BASE = 56 * MEGABYTE;
/** The file is in the memory of both processes, and on its way between them. */
const SHARP_FILES = 3;
/** Bytes of decoded rows that libvips keeps for each pixel of the width. */
const SHARP_ROWS = 8_192;
const SHARP: Readonly<Record<ImageFormat, Costs>> = {
  jpeg: { source: 0, target: 8 },
  png: { source: 0, target: 8 },
  gif: { source: 5.4, target: 12 },
  webp: { source: 4, target: 10 },
};
/** libvips decodes a JPEG or an opaque WebP in a size of less than twice the sides of the result. */
const SHRUNK = 4;

/** Returns the memory that libvips needs to resize an image, in bytes. */
export function sharpNeed(header: ImageHeader, fileBytes: number, size: ImageSize): number {
  const { format, width, height, buffered = 0, isPlain = false, orientation } = header;
  const target = size.width * size.height;
  const isShrunk = format === 'jpeg' || isPlain;
  const decoded = isShrunk ? Math.min(width * height, SHRUNK * target) : width * height;
  const rows = Math.min(decoded * CHANNELS, width * SHARP_ROWS);
  const rotated = orientation > 1 ? decoded * CHANNELS : 0;
  return (
    SHARP_BASE +
    SHARP_FILES * fileBytes +
    buffered +
    rows +
    rotated +
    decoded * SHARP[format].source +
    target * SHARP[format].target
  );
}
