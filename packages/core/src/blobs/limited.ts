import { AppError } from '../errors.ts';

/** Passes the bytes through. @throws `file.too_large` during reading if there are more than `most` */
export async function* atMost(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > most) throw new AppError('file.too_large', { detail: `at most ${most} bytes` });
    yield chunk;
  }
}
