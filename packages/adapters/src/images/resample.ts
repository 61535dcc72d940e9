import { CHANNELS, createPicture, type Picture } from './picture.ts';

/** Source positions that contribute to a target position, from `start`, with weights that add up to 1. */
interface Taps {
  readonly start: number;
  readonly weights: Float64Array;
}

/**
 * Returns the taps of each target position: those that it covers, by how much it covers them, when reducing, and linear
 * interpolation when enlarging.
 */
function tapsOf(source: number, target: number): Taps[] {
  const scale = source / target;
  const reach = (Math.max(1, scale) + 1) / 2;
  return Array.from({ length: target }, (_, i) => {
    const centre = (i + 0.5) * scale - 0.5;
    const start = Math.max(0, Math.ceil(centre - reach));
    const end = Math.min(source - 1, Math.floor(centre + reach));
    const covered = Float64Array.from({ length: end - start + 1 }, (_, j) =>
      Math.min(1, reach - Math.abs(start + j - centre)),
    );
    const sum = covered.reduce((total, part) => total + part, 0);
    return { start, weights: covered.map((part) => part / sum) };
  });
}

/** Resamples one row horizontally, and multiplies colours by alpha. */
function resampleRow({ width, data }: Picture, y: number, target: Float64Array, taps: readonly Taps[]): void {
  let to = 0;
  for (const { start, weights } of taps) {
    let [r, g, b, a] = [0, 0, 0, 0];
    for (let i = 0, at = (y * width + start) * CHANNELS; i < weights.length; i++, at += CHANNELS) {
      const alpha = (weights[i] as number) * (data[at + 3] as number);
      r += (data[at] as number) * alpha;
      g += (data[at + 1] as number) * alpha;
      b += (data[at + 2] as number) * alpha;
      a += alpha;
    }
    target[to] = r;
    target[to + 1] = g;
    target[to + 2] = b;
    target[to + 3] = a;
    to += CHANNELS;
  }
}

/** Writes a row, and divides colours by alpha again. */
function writeRow(sums: Float64Array, target: Uint8ClampedArray, offset: number): void {
  for (let i = 0; i < sums.length; i += CHANNELS) {
    const alpha = sums[i + 3] as number;
    for (let channel = 0; channel < 3; channel++) {
      target[offset + i + channel] = alpha === 0 ? 0 : (sums[i + channel] as number) / alpha;
    }
    target[offset + i + 3] = alpha;
  }
}

/**
 * Resizes an image. Colours are weighted by their alpha, so that transparent pixels do not bleed. Needs memory for the
 * result and a few rows.
 */
export function resample(picture: Picture, width: number, height: number): Picture {
  const across = tapsOf(picture.width, width);
  const down = tapsOf(picture.height, height);
  const result = createPicture(width, height);
  const pixels = new Uint8ClampedArray(result.data.buffer, result.data.byteOffset, result.data.byteLength);
  /** Ring buffer of rows of the final width. Each row is computed once, in order. */
  const most = down.reduce((rows, { weights }) => Math.max(rows, weights.length), 0);
  const ring = Array.from({ length: most }, () => new Float64Array(width * CHANNELS));
  const sums = new Float64Array(width * CHANNELS);
  let made = 0;
  for (const [y, { start, weights }] of down.entries()) {
    for (; made < start + weights.length; made++) {
      resampleRow(picture, made, ring[made % most] as Float64Array, across);
    }
    sums.fill(0);
    for (const [i, weight] of weights.entries()) {
      const line = ring[(start + i) % most] as Float64Array;
      for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + (line[at] as number) * weight;
    }
    writeRow(sums, pixels, y * width * CHANNELS);
  }
  return result;
}
