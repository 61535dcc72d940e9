import jimpGif from '@jimp/js-gif';
import gifenc from 'gifenc';
import { CHANNELS, type Picture } from '../picture.ts';

const MAX_COLOURS = 256;
/** Alpha below which pixels become transparent: a GIF has no partial transparency. */
const HALF = 128;

interface Indexed {
  readonly palette: number[][];
  readonly index: Uint8Array;
  /** Index of the transparent colour; -1 if there is none. */
  readonly transparentIndex: number;
}

/** Makes every pixel either opaque, or black and transparent. */
function hardenAlpha({ data }: Picture): { pixels: Uint8Array; hasHoles: boolean } {
  const pixels = new Uint8Array(data);
  let hasHoles = false;
  for (let i = 0; i < pixels.length; i += CHANNELS) {
    const isHole = (pixels[i + 3] as number) < HALF;
    if (isHole) pixels.fill(0, i, i + CHANNELS);
    else pixels[i + 3] = 255;
    hasHoles ||= isHole;
  }
  return { pixels, hasHoles };
}

/** Returns a palette of the exact colours, or null if there are too many. */
function exactly(pixels: Uint8Array): Indexed | null {
  const colours = new Uint32Array(pixels.buffer);
  const index = new Uint8Array(colours.length);
  const known = new Map<number, number>();
  for (let i = 0; i < colours.length; i++) {
    const colour = colours[i] as number;
    let position = known.get(colour);
    if (position === undefined) {
      if (known.size === MAX_COLOURS) return null;
      position = known.size;
      known.set(colour, position);
    }
    index[i] = position;
  }
  const palette = Array.from(known.keys(), (colour) => Array.from(new Uint8Array(Uint32Array.of(colour).buffer)));
  return { palette, index, transparentIndex: palette.findIndex(([, , , alpha]) => alpha === 0) };
}

function nearly(pixels: Uint8Array, hasHoles: boolean): Indexed {
  const format = hasHoles ? 'rgba4444' : 'rgb444';
  const palette = gifenc.quantize(pixels, MAX_COLOURS, { format, oneBitAlpha: hasHoles });
  const index = gifenc.applyPalette(pixels, palette, format);
  return { palette, index, transparentIndex: palette.findIndex(([, , , alpha]) => alpha === 0) };
}

function encodeGif(picture: Picture): Buffer {
  const { pixels, hasHoles } = hardenAlpha(picture);
  const { palette, index, transparentIndex } = exactly(pixels) ?? nearly(pixels, hasHoles);
  const encoder = gifenc.GIFEncoder();
  encoder.writeFrame(index, picture.width, picture.height, {
    palette: palette.map(([r = 0, g = 0, b = 0]) => [r, g, b]),
    ...(transparentIndex === -1 ? {} : { transparent: true, transparentIndex }),
  });
  encoder.finish();
  return Buffer.from(encoder.bytes().buffer);
}

/**
 * Creates Jimp's GIF format, which decodes the first frame of an animation, with our own encoder: Jimp's takes several
 * times as long and produces larger files.
 */
export function createGif() {
  return { ...jimpGif(), hasAlpha: true, encode: encodeGif };
}
