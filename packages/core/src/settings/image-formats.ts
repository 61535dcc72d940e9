import { AppError } from '../errors.ts';
import type { ImageSize } from '../ports/images.ts';

/**
 * A size that can be requested: a share of the original, a maximum number of pixels for both sides, or a box to fit
 * into. The aspect ratio is preserved.
 */
export type ResizeFormat =
  | { readonly kind: 'percent'; readonly percent: number }
  | { readonly kind: 'atMost'; readonly side: number }
  | { readonly kind: 'box'; readonly width: number; readonly height: number };

const PERCENT = /^(\d{1,3})%$/;
const AT_MOST = /^<=(\d{1,6})px$/;
const BOX = /^(\d{1,6})(?:px)?-(\d{1,6})(?:px)?$/;

/** Parses `25%`, `<=80px`, `100-200` or `100px-200px`; null for any other text, and for a size of zero. */
export function parseFormat(text: string): ResizeFormat | null {
  const [, percent] = PERCENT.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) === 0 ? null : { kind: 'percent', percent: Number(percent) };
  const [, side] = AT_MOST.exec(text) ?? [];
  if (side !== undefined) return Number(side) === 0 ? null : { kind: 'atMost', side: Number(side) };
  const [, width, height] = BOX.exec(text) ?? [];
  if (width === undefined || height === undefined || Number(width) === 0 || Number(height) === 0) return null;
  return { kind: 'box', width: Number(width), height: Number(height) };
}

/** Parses a list of formats separated by blanks. Skips invalid entries. */
export function parseFormats(list: string): readonly ResizeFormat[] {
  return list.split(/\s+/).flatMap((text) => parseFormat(text) ?? []);
}

export const isFormatList = (list: string) =>
  list.split(/\s+/).every((text) => text === '' || parseFormat(text) !== null);

/** Returns the variant of a format: the same for all its spellings, and valid as the name of a blob. */
export function variantOf(format: ResizeFormat): string {
  switch (format.kind) {
    case 'percent':
      return `percent-${format.percent}`;
    case 'atMost':
      return `at-most-${format.side}`;
    case 'box':
      return `box-${format.width}-${format.height}`;
  }
}

/** Returns a format in the form in which it is requested. */
export function textOf(format: ResizeFormat): string {
  switch (format.kind) {
    case 'percent':
      return `${format.percent}%`;
    case 'atMost':
      return `<=${format.side}px`;
    case 'box':
      return `${format.width}-${format.height}`;
  }
}

const scaled = ({ width, height }: ImageSize, factor: number): ImageSize => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
});

function sizeIn(format: ResizeFormat, image: ImageSize): ImageSize {
  switch (format.kind) {
    case 'percent':
      return scaled(image, format.percent / 100);
    case 'atMost':
      return scaled(image, Math.min(1, format.side / Math.max(image.width, image.height)));
    case 'box':
      return scaled(image, Math.min(format.width / image.width, format.height / image.height));
  }
}

/** @throws `image.format_invalid` if a requested side is longer than `maxSide` */
export function assertWithin(format: ResizeFormat, maxSide: number): void {
  const sides = format.kind === 'box' ? [format.width, format.height] : format.kind === 'atMost' ? [format.side] : [];
  if (sides.some((side) => side > maxSide)) refuse(maxSide);
}

/**
 * Returns the width and height, in pixels, of an image in a format.
 *
 * @throws `image.format_invalid` if one of them would be longer than `maxSide`
 */
export function targetSize(format: ResizeFormat, image: ImageSize, maxSide: number): ImageSize {
  const size = sizeIn(format, image);
  if (size.width > maxSide || size.height > maxSide) refuse(maxSide);
  return size;
}

function refuse(maxSide: number): never {
  throw new AppError('image.format_invalid', { detail: `a side must have at most ${maxSide} pixels` });
}
