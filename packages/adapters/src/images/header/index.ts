import { AppError, type ImageInfo } from '@baobab/core';
import { type ByteReader, createReader, type ImageHeader, refuse } from './bytes.ts';
import { readGif } from './gif.ts';
import { readJpeg } from './jpeg.ts';
import { readPng } from './png.ts';
import { readWebp } from './webp.ts';

const JPEG_SIGNATURE = 0xffd8ff;
const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';

function read(reader: ByteReader, bytes: Uint8Array): ImageHeader {
  if (reader.length < 16) refuse('it is too short');
  const signature = reader.text(0, 12);
  if (reader.u32(0) >>> 8 === JPEG_SIGNATURE) return readJpeg(reader, bytes);
  if (signature.startsWith(PNG_SIGNATURE)) return readPng(reader);
  if (/^GIF8[79]a/.test(signature)) return readGif(reader);
  if (signature.startsWith('RIFF') && signature.endsWith('WEBP')) return readWebp(reader);
  refuse('JPEG, PNG, GIF and WebP are understood');
}

/**
 * Reads the header. Width and height are as stored, before rotation.
 *
 * @throws `image.unreadable`, `image.too_large`
 */
export function readHeader(bytes: Uint8Array, maxPixels: number): ImageHeader {
  const header = read(createReader(bytes), bytes);
  const { width, height } = header;
  if (width === 0 || height === 0) refuse('it has no pixels');
  if (width * height > maxPixels) throw new AppError('image.too_large', { detail: `it has ${width} × ${height}` });
  return header;
}

/** Returns the file with repairs for decoders, copied only if necessary. */
export function repaired(bytes: Uint8Array, { repairs = [] }: ImageHeader): Uint8Array {
  if (repairs.length === 0) return bytes;
  const length = Math.max(bytes.length, ...repairs.map(({ at, bytes: { length } }) => at + length));
  const copy = new Uint8Array(length);
  copy.set(bytes);
  for (const repair of repairs) copy.set(repair.bytes, repair.at);
  return copy;
}

const swapsSides = (orientation: number) => orientation >= 5;

/** Converts a stored size to the upright size of this orientation, or back. */
export function oriented<Size extends { readonly width: number; readonly height: number }>(
  { width, height }: Size,
  orientation: number,
): { width: number; height: number } {
  return swapsSides(orientation) ? { width: height, height: width } : { width, height };
}

export function inspect(bytes: Uint8Array, maxPixels: number): ImageInfo {
  const header = readHeader(bytes, maxPixels);
  return { format: header.format, ...oriented(header, header.orientation) };
}
