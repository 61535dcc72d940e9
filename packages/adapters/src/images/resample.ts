import { CHANNELS, createPicture, type Picture } from './picture.ts';

/** Lanczos filter with three lobes: sharp, with less aliasing than two. */
const LOBES = 3;

function lanczos(x: number): number {
  if (x === 0) return 1;
  if (Math.abs(x) >= LOBES) return 0;
  const a = Math.PI * x;
  return (LOBES * Math.sin(a) * Math.sin(a / LOBES)) / (a * a);
}

/** Source positions that contribute to each target position. */
interface Weights {
  readonly starts: Int32Array;
  readonly counts: Int32Array;
  /** `most` for each target position. */
  readonly values: Float64Array;
  readonly most: number;
}

/** @param scale source positions per target position */
function weightsOf(source: number, target: number, scale: number): Weights {
  const stretch = Math.max(1, scale);
  const most = Math.min(source, Math.ceil(2 * LOBES * stretch) + 2);
  const [starts, counts] = [new Int32Array(target), new Int32Array(target)];
  const values = new Float64Array(target * most);
  for (let i = 0; i < target; i++) {
    const centre = (i + 0.5) * scale;
    const start = Math.max(0, Math.floor(centre - LOBES * stretch));
    const end = Math.min(source, start + most, Math.ceil(centre + LOBES * stretch));
    let sum = 0;
    for (let j = start; j < end; j++) sum += lanczos((j + 0.5 - centre) / stretch);
    for (let j = start; j < end; j++) values[i * most + j - start] = lanczos((j + 0.5 - centre) / stretch) / sum;
    starts[i] = start;
    counts[i] = end - start;
  }
  return { starts, counts, values, most };
}

/**
 * Creates the rows of the source with premultiplied alpha, reduced by integer factors: averages of `across` × `down`
 * pixels. This does most of a strong reduction cheaply, and leaves enough pixels for the filter.
 */
function createShrunkRows({ width, height, data }: Picture, across: number, down: number) {
  const shrunk = Math.ceil(width / across);
  const rowBytes = width * CHANNELS;

  return {
    width: shrunk,
    height: Math.ceil(height / down),
    fill(row: Float64Array, y: number): void {
      const rows = Math.min(down, height - y * down);
      const firstRow = y * down * rowBytes;
      for (let cell = 0; cell < shrunk; cell++) {
        const columns = Math.min(across, width - cell * across);
        let [r, g, b, a] = [0, 0, 0, 0];
        for (let i = 0, line = firstRow + cell * across * CHANNELS; i < rows; i++, line += rowBytes) {
          for (let at = line, end = line + columns * CHANNELS; at < end; at += CHANNELS) {
            const alpha = data[at + 3] as number;
            r += (data[at] as number) * alpha;
            g += (data[at + 1] as number) * alpha;
            b += (data[at + 2] as number) * alpha;
            a += alpha;
          }
        }
        const to = cell * CHANNELS;
        const pixels = rows * columns;
        row[to] = r / (pixels * 255);
        row[to + 1] = g / (pixels * 255);
        row[to + 2] = b / (pixels * 255);
        row[to + 3] = a / pixels;
      }
    },
  };
}

/** Resamples one row horizontally. */
function resampleRow(source: Float64Array, target: Float64Array, { starts, counts, values, most }: Weights): void {
  for (let x = 0; x < starts.length; x++) {
    let [r, g, b, a] = [0, 0, 0, 0];
    const first = x * most;
    const last = first + (counts[x] as number);
    for (let i = first, at = (starts[x] as number) * CHANNELS; i < last; i++, at += CHANNELS) {
      const weight = values[i] as number;
      r += (source[at] as number) * weight;
      g += (source[at + 1] as number) * weight;
      b += (source[at + 2] as number) * weight;
      a += (source[at + 3] as number) * weight;
    }
    const to = x * CHANNELS;
    target[to] = r;
    target[to + 1] = g;
    target[to + 2] = b;
    target[to + 3] = a;
  }
}

const byte = (value: number) => (value <= 0 ? 0 : value >= 255 ? 255 : Math.round(value));

/** Reverses the premultiplication of alpha. */
function writeRow(sums: Float64Array, target: Uint8Array, offset: number): void {
  for (let i = 0; i < sums.length; i += CHANNELS) {
    const alpha = byte(sums[i + 3] as number);
    const unshare = alpha === 0 ? 0 : 255 / (sums[i + 3] as number);
    target[offset + i] = byte((sums[i] as number) * unshare);
    target[offset + i + 1] = byte((sums[i + 1] as number) * unshare);
    target[offset + i + 2] = byte((sums[i + 2] as number) * unshare);
    target[offset + i + 3] = alpha;
  }
}

/** Returns the integer factor of the first reduction. It leaves the filter a reduction of at least 2. */
const wholeFactor = (scale: number) => Math.max(1, Math.floor(scale / 2));

/**
 * Resizes an image. Colours are weighted by their alpha, so that transparent pixels do not bleed. Needs memory for the
 * result and a few rows.
 */
export function resample(picture: Picture, width: number, height: number): Picture {
  const across = wholeFactor(picture.width / width);
  const down = wholeFactor(picture.height / height);
  const rows = createShrunkRows(picture, across, down);
  const horizontal = weightsOf(rows.width, width, picture.width / across / width);
  const vertical = weightsOf(rows.height, height, picture.height / down / height);
  const result = createPicture(width, height);

  const row = new Float64Array(rows.width * CHANNELS);
  /** Ring buffer of rows of the final width. Each row is computed once, in order. */
  const ring = Array.from({ length: vertical.most }, () => new Float64Array(width * CHANNELS));
  const sums = new Float64Array(width * CHANNELS);
  let made = 0;
  for (let y = 0; y < height; y++) {
    const start = vertical.starts[y] as number;
    const count = vertical.counts[y] as number;
    for (; made < start + count; made++) {
      rows.fill(row, made);
      resampleRow(row, ring[made % ring.length] as Float64Array, horizontal);
    }
    sums.fill(0);
    for (let i = 0; i < count; i++) {
      const weight = vertical.values[y * vertical.most + i] as number;
      const line = ring[(start + i) % ring.length] as Float64Array;
      for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] as number) + (line[at] as number) * weight;
    }
    writeRow(sums, result.data, y * width * CHANNELS);
  }
  return result;
}
