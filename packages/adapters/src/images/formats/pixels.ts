import type { Picture } from '../picture.ts';

/** Pixels as the codecs take and return them: like a browser's ImageData. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** The same memory as Jimp wants it. */
export const pictureOf = ({ width, height, data }: Pixels): Picture => ({
  width,
  height,
  data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
});

/** The same memory as the codecs want it. */
export const pixelsOf = ({ width, height, data }: Picture) =>
  ({ width, height, data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength) }) as Pixels;
