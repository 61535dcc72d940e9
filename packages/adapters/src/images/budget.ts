import { AppError, createSemaphore } from '@baobab/core';

const MEGABYTE = 1_000_000;

const megabytes = (bytes: number) => `${Math.ceil(bytes / MEGABYTE).toLocaleString('en')} MB`;

/** Memory for images that are resized at the same time. */
export interface ImageMemory {
  readonly bytes: number;
  /**
   * Runs `work` when this many bytes are free. Others wait in order.
   *
   * @throws `image.too_large` if there is never enough memory
   */
  run<T>(need: number, work: () => Promise<T>): Promise<T>;
}

export function createImageMemory(bytes = Number.POSITIVE_INFINITY): ImageMemory {
  const semaphore = createSemaphore({ running: bytes });
  return {
    bytes,
    async run(need, work) {
      if (need > bytes) {
        const detail = `it takes ${megabytes(need)} of memory, and the limit of this server is ${megabytes(bytes)}`;
        throw new AppError('image.too_large', { detail });
      }
      return semaphore.run(work, need);
    },
  };
}
