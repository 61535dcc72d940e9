import type { Sharp } from '@baobab/adapters/images';
import { Jimp } from 'jimp';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The minimal code with the bare library. */
export type Bare = (bytes: Uint8Array) => Promise<Uint8Array>;

const QUALITY = 80;

export function bareJimp({ width, height }: Size): Bare {
  return async (bytes) => {
    const image = await Jimp.fromBuffer(Buffer.from(bytes));
    return image.resize({ w: width, h: height }).getBuffer('image/jpeg', { quality: QUALITY });
  };
}

export function bareSharp(sharp: Sharp, { width, height }: Size): Bare {
  return (bytes) =>
    sharp(bytes, {}).resize(width, height, { fit: 'fill' }).toFormat('jpeg', { quality: QUALITY }).toBuffer();
}

/** Creates a JPEG with large shapes and fine grain, like a camera's. */
export async function photograph({ width, height }: Size): Promise<Uint8Array> {
  const data = Buffer.alloc(width * height * 4, 255);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const grain = ((x * 7919) ^ (y * 104_729)) % 23;
      data[at] = 128 + 90 * Math.sin(x / 311) + grain;
      data[at + 1] = 120 + 90 * Math.sin(y / 173 + x / 701) + grain;
      data[at + 2] = (((x + y) / 28) & 127) + 60 + grain;
    }
  }
  return new Jimp({ width, height, data }).getBuffer('image/jpeg', { quality: 90 });
}
