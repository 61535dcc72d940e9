import { Readable } from 'node:stream';
import type { BlobContent } from '@baobab/core';

/** Resolves when `piece` has gone to the system. */
function written(destination: NodeJS.WritableStream, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    destination.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * What is stored, to be piped into an answer and nowhere else. A stream asks for more when it has passed a piece on, but
 * its piece is needed until it has been sent: whoever lent it would have filled it anew by then.
 */
export class LentStream extends Readable {
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
    for await (const piece of this.#content.bytes) {
      if (this.destroyed) return;
      await written(destination, piece);
    }
    destination.end();
    this.push(null);
    this.resume();
  }

  // A reader that goes away leaves somebody who waits: what that holds is let go of at once.
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#content.dispose();
    done(error);
  }
}
