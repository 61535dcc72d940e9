import { Readable } from 'node:stream';
import type { BlobContent } from '@baobab/core';

/** Resolves when the chunk has been passed to the operating system. */
function written(destination: NodeJS.WritableStream, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    destination.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Stored bytes for piping into a response only. A plain stream requests the next chunk as soon as it has passed one on,
 * so the chunk's buffer could be refilled before it is sent.
 */
export class BlobStream extends Readable {
  readonly #content: BlobContent;

  constructor(content: BlobContent) {
    super();
    this.#content = content;
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    this.#sendTo(destination).catch((error: Error) => this.destroy(error));
    return destination;
  }

  async #sendTo(destination: NodeJS.WritableStream): Promise<void> {
    for await (const chunk of this.#content.bytes) {
      if (this.destroyed) return;
      await written(destination, chunk);
    }
    destination.end();
    this.push(null);
    this.resume();
  }

  // If the reader disconnects, the resources of a pending read are released immediately.
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#content.dispose();
    done(error);
  }
}
