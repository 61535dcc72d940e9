import { Readable } from 'node:stream';
import type { BlobContent } from '@baobab/core';

/** Resolves when the chunk has been handed to the operating system. */
function written(destination: NodeJS.WritableStream, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    destination.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Stored bytes, to be piped into a response and nowhere else. A plain stream asks for the next chunk as soon as it has
 * passed one on. The chunk's buffer could then be filled again before it has been sent.
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

  // When the reader disconnects, whatever a waiting read holds is released at once.
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#content.dispose();
    done(error);
  }
}
