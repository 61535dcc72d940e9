import type { Picture } from '../picture.ts';

/** Pixels in the format of the codecs, which is a browser's ImageData. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** Returns the same memory in the format of Jimp. */
export const pictureOf = ({ width, height, data }: Pixels): Picture => ({
  width,
  height,
  data: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
});

/** Returns the same memory in the format of the codecs. */
export const pixelsOf = ({ width, height, data }: Picture) =>
  ({ width, height, data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength) }) as Pixels;
