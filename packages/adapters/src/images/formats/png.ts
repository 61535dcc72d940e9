import jimpPng from '@jimp/wasm-png';
import { init as initDecoder } from '@jsquash/png/decode.js';
import { init as initEncoder } from '@jsquash/png/encode.js';
import type { Picture } from '../picture.ts';
import { once, readModule } from './module.ts';

/** Creates Jimp's PNG format. Its codec starts once per thread, so we start it first, from the file. */
export function createPng() {
  const png = jimpPng();
  const codec = once(async () => {
    const module = await readModule('@jsquash/png/codec/pkg/squoosh_png_bg.wasm');
    await initDecoder(module);
    await initEncoder(module);
  });
  return {
    ...png,
    async decode(bytes: Buffer): Promise<Picture> {
      await codec();
      return png.decode(bytes);
    },
    async encode(picture: Picture): Promise<Buffer> {
      await codec();
      return png.encode(picture);
    },
  };
}
