/** How much of a file is sampled to detect its type. Bytes. */
const SAMPLE = 4_100;

const UNKNOWN = 'application/octet-stream';

/** Container formats: the sender says what they contain. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/xml',
  'application/x-cfb',
  'application/zip',
  'application/ogg',
]);

/** A type without parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/** Types with a signature of their own: a file without the signature is not of that type. */
const RECOGNISABLE = /^(?:image\/(?!svg)|audio\/(?!midi|basic)|video\/|font\/|application\/pdf$)/;

/**
 * The content type that a file is served as.
 *
 * @param declared the type that the sender declared
 * @param detected the type that was detected, or null
 */
export function contentTypeOf(declared: string, detected: string | null): string {
  const type = MEDIA_TYPE.test(declared) ? declared : UNKNOWN;
  if (detected === null) return RECOGNISABLE.test(type) ? UNKNOWN : type;
  const isGeneric = CONTAINERS.has(detected) && type !== UNKNOWN && !RECOGNISABLE.test(type);
  return isGeneric ? type : detected;
}

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
