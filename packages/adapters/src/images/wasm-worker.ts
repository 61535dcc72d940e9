import { parentPort } from 'node:worker_threads';
import type { ImageSize } from '@baobab/core';
import type { ImageHeader } from './header/bytes.ts';
import { createImageJimps } from './jimp.ts';
import type { Answer } from './pool.ts';

/** A resize job for a thread. */
export interface ResizeJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly header: ImageHeader;
  /** Before rotation. */
  readonly size: ImageSize;
}

/** WebAssembly memory never shrinks, so a thread is discarded after an image of more pixels than this. */
const HEAVY_PIXELS = 24_000_000;

const jimpOf = createImageJimps();

/**
 * The checked header gives the format and the orientation. `Jimp.fromBuffer` would detect both again by
 * rules of its own (it rejects animated PNGs), and would rotate the image before it is small.
 */
async function resize({ bytes, header, size }: ResizeJob): Promise<Uint8Array> {
  const { format, Jimp } = await jimpOf(header.format);
  const picture = await format.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), header);
  // A different size means that the decoder used another header than the one that was checked.
  if (picture.width !== header.width || picture.height !== header.height) throw new Error('not the announced size');
  const image = new Jimp(picture);
  return image.resize({ w: size.width, h: size.height }).upright(header.orientation).getBuffer(format.mime);
}

parentPort?.on('message', (job: ResizeJob) => {
  const isHeavy = job.header.width * job.header.height > HEAVY_PIXELS;
  resize(job).then(
    (result) => {
      const value = result.byteLength === result.buffer.byteLength ? result : new Uint8Array(result);
      const answer: Answer<Uint8Array> = { value, isWorn: isHeavy };
      parentPort?.postMessage(answer, [value.buffer as ArrayBuffer]);
    },
    (error: unknown) => {
      // A decoder that failed may be in any state, so its thread is not reused.
      const answer: Answer<Uint8Array> = { problem: String(error), isWorn: true };
      parentPort?.postMessage(answer);
    },
  );
});
