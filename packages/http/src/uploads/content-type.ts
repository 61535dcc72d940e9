/** So much of a file says what it is. Bytes. */
const SAMPLE = 4_100;

const UNKNOWN = 'application/octet-stream';

/** Forms that others are built of: what is in them is for the sender to say. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/xml',
  'application/x-cfb',
  'application/zip',
  'application/ogg',
]);

/** A type without parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/** Types that always begin with bytes of their own: without them, it is none of these. */
const RECOGNISABLE = /^(?:image\/(?!svg)|audio\/(?!midi|basic)|video\/|font\/|application\/pdf$)/;

/** What a file is served as, from what its sender said and what its bytes show. */
export function contentTypeOf(declared: string, shown: string | null): string {
  const said = MEDIA_TYPE.test(declared) ? declared : UNKNOWN;
  if (shown === null) return RECOGNISABLE.test(said) ? UNKNOWN : said;
  const isGeneric = CONTAINERS.has(shown) && said !== UNKNOWN && !RECOGNISABLE.test(said);
  return isGeneric ? said : shown;
}

/** The same bytes, and what they look like once they have gone by. */
export function watchContentType(bytes: AsyncIterable<Uint8Array>) {
  const sample: Uint8Array[] = [];
  let sampled = 0;

  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      if (sampled < SAMPLE) {
        const part = Uint8Array.from(piece.subarray(0, SAMPLE - sampled)); // the piece is only lent
        sample.push(part);
        sampled += part.length;
      }
      yield piece;
    }
  }

  /** The type that the bytes show; null when they show none. */
  async function shown(): Promise<string | null> {
    const { fileTypeFromBuffer } = await import('file-type'); // now: a start need not wait for it
    try {
      return (await fileTypeFromBuffer(Buffer.concat(sample)))?.mime ?? null;
    } catch {
      return null; // it begins as something, and then is none
    }
  }

  return { bytes: watched(), shown };
}
