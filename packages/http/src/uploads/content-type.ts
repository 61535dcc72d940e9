/** How much of a file is sampled to detect its type. Bytes. */
const SAMPLE = 4_100;

/** Passes bytes through unchanged and detects their type from the first ones. */
export function watchContentType(bytes: AsyncIterable<Uint8Array>) {
  const sample: Uint8Array[] = [];
  let sampled = 0;

  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      if (sampled < SAMPLE) {
        const part = Uint8Array.from(chunk.subarray(0, SAMPLE - sampled)); // the chunk is valid only until the next one is requested
        sample.push(part);
        sampled += part.length;
      }
      yield chunk;
    }
  }

  /** The detected type; null when there is none. */
  async function detected(): Promise<string | null> {
    const { fileTypeFromBuffer } = await import('file-type'); // lazily: keeps the start fast
    try {
      return (await fileTypeFromBuffer(Buffer.concat(sample)))?.mime ?? null;
    } catch {
      return null; // it has a signature but is malformed after it
    }
  }

  return { bytes: watched(), detected };
}
