const UNKNOWN = 'application/octet-stream';

/** Container formats: the sender says what they contain. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/xml',
  'application/x-cfb',
  'application/zip',
  'application/ogg',
]);

/** A type without parameters (RFC 6838, section 4.2). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/** Types with a signature of their own: a file without the signature is not of that type. */
const RECOGNIZABLE = /^(?:image\/(?!svg)|audio\/(?!midi|basic)|video\/|font\/|application\/pdf$)/;

/**
 * The content type that a file is served as.
 *
 * @param declared the type that the sender declared
 * @param detected the type that was detected, or null
 */
export function contentTypeOf(declared: string, detected: string | null): string {
  const type = MEDIA_TYPE.test(declared) ? declared : UNKNOWN;
  if (detected === null) return RECOGNIZABLE.test(type) ? UNKNOWN : type;
  const isGeneric = CONTAINERS.has(detected) && type !== UNKNOWN && !RECOGNIZABLE.test(type);
  return isGeneric ? type : detected;
}
