import { parentPort } from 'node:worker_threads';
import type { ImageSize } from '@baobab/core';
import type { ImageHeader } from './header/bytes.ts';
import { createImageJimps } from './jimp.ts';
import type { Answer } from './pool.ts';

/** What a thread is asked to do. */
export interface ResizeJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly header: ImageHeader;
  /** Before the picture is turned. */
  readonly size: ImageSize;
}

/** The memory of WebAssembly never shrinks: a thread that has seen so many pixels is given up. */
const HEAVY_PIXELS = 24_000_000;

const jimpOf = createImageJimps();

/**
 * The header, which has been checked, says the format and the orientation. `Jimp.fromBuffer` would detect both again by
 * rules of its own (it rejects animated PNGs), and would rotate the image before it is small.
 */
async function resize({ bytes, header, size }: ResizeJob): Promise<Uint8Array> {
  const { format, Jimp } = await jimpOf(header.format);
  const picture = await format.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), header);
  // What the decoder made is what the header announced, or the header was not the one that it went by.
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
      // What a failed decoder left behind is not worth finding out.
      const answer: Answer<Uint8Array> = { problem: String(error), isWorn: true };
      parentPort?.postMessage(answer);
    },
  );
});
