import type { Images, Logger } from '@baobab/core';
import { createSharpImages } from './sharp.ts';
import { importSharp } from './sharp-module.ts';
import { createWasmImages, type ImageLimits } from './wasm.ts';

/** Uses sharp if it is installed, otherwise the WebAssembly codecs. The choice is made on first use. */
export function createImages(limits: ImageLimits, logger: Logger): Images {
  // Free until the first job, which starts its threads.
  const portable = createWasmImages(limits);
  let chosen: Promise<Images> | null = null;

  async function choose(): Promise<Images> {
    const sharp = await importSharp();
    logger.info({ engine: sharp === null ? 'wasm' : 'sharp' }, 'image engine selected');
    return sharp === null ? portable : createSharpImages(limits);
  }

  return {
    inspect: portable.inspect,
    async resize(bytes, size) {
      chosen ??= choose();
      return (await chosen).resize(bytes, size);
    },
    async close() {
      await (await chosen)?.close();
      await portable.close();
    },
  };
}
