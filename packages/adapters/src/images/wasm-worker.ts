import { parentPort } from 'node:worker_threads';
import type { ImageSize } from '@baobab/core';
import type { Answer } from '../worker-pool.ts';
import type { ImageHeader } from './header/bytes.ts';
import { createImageJimps } from './jimp.ts';

/** Resize job for a thread. */
export interface ResizeJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly header: ImageHeader;
  /** Size before rotation. */
  readonly size: ImageSize;
  /** True if the thread is not reused, so that its memory is free again. */
  readonly isHeavy: boolean;
}

const jimpOf = createImageJimps();

/**
 * Resizes an image, with the format and orientation of the checked header. `Jimp.fromBuffer` would detect both again by
 * different rules (it rejects animated PNGs), and would rotate the image before reducing it.
 */
async function resize({ bytes, header, size }: ResizeJob): Promise<Uint8Array> {
  const { format, Jimp } = await jimpOf(header.format);
  const picture = await format.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), header);
  // A different size means that the decoder used a different header from the checked one.
  if (picture.width !== header.width || picture.height !== header.height) throw new Error('not the announced size');
  const image = new Jimp(picture);
  return image.resize({ w: size.width, h: size.height }).upright(header.orientation).getBuffer(format.mime);
}

parentPort?.on('message', (job: ResizeJob) => {
  resize(job).then(
    (result) => {
      const value = result.byteLength === result.buffer.byteLength ? result : new Uint8Array(result);
      const answer: Answer<Uint8Array> = { value, isWorn: job.isHeavy };
      parentPort?.postMessage(answer, [value.buffer as ArrayBuffer]);
    },
    (error: unknown) => {
      // A decoder that failed may be in any state, so its thread is not reused.
      const answer: Answer<Uint8Array> = { problem: String(error), isWorn: true };
      parentPort?.postMessage(answer);
    },
  );
});
