const UNKNOWN = 'application/octet-stream';
const PLAIN = 'text/plain';

/** A type without parameters (RFC 6838, section 4.2). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/** Declared by senders that do not know the type. A form part without a type counts as `text/plain` (RFC 7578). */
const GENERIC: ReadonlySet<string> = new Set([
  UNKNOWN,
  PLAIN,
  'application/binary',
  'application/force-download',
  'application/unknown',
  'application/x-binary',
  'application/x-download',
  'binary/octet-stream',
]);

/** Container formats, whose content is specified by the sender or the name. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/xml',
  'application/x-cfb',
  'application/zip',
]);

/** Text types. They include all types that browsers execute. */
const TEXT = /^text\/|^application\/(?:json|xml|javascript|ecmascript|x-javascript|rtf)$|\+(?:xml|json)$/;
/** Types whose first bytes may be text. */
const TEXTUAL = new RegExp(`${TEXT.source}|^application/pdf$`);

/** Playlists and images in text formats. */
const TEXT_MEDIA = /mpegurl|scpls|\+xml$|^image\/x-(?:portable-|xbitmap|xpixmap)/;

/** Returns true for types with a binary signature. Text never has such a type. */
const hasSignature = (type: string) =>
  (/^(?:image|audio|video|font)\//.test(type) || type === 'application/pdf') && !TEXT_MEDIA.test(type);

const isAudioOrVideo = (type: string) =>
  /^(?:audio|video)\/|^application\/(?:ogg|mp4|mxf|vnd\.ms-asf|x-matroska)$/.test(type);

/** Families of image formats with the same first bytes. */
const IMAGE_FAMILIES: readonly RegExp[] = [/^image\/(?:hei[cf]|avif)/, /^image\/(?:vnd\.mozilla\.)?a?png$/];

/** Returns true if bytes detected as one type may be of another one. */
function mayBe(type: string, detected: string): boolean {
  if (type === detected) return true;
  if (TEXT.test(type)) return TEXT.test(detected);
  if (CONTAINERS.has(detected)) return !hasSignature(type);
  // The same containers are used for audio and video, and recorders write the same header for both.
  if (isAudioOrVideo(type)) return isAudioOrVideo(detected);
  if (type.startsWith('font/')) return detected.startsWith('font/');
  // Raw photos of many cameras are TIFF.
  if (detected === 'image/tiff') return type.startsWith('image/') || !hasSignature(type);
  if (type.startsWith('image/')) return IMAGE_FAMILIES.some((family) => family.test(type) && family.test(detected));
  return !hasSignature(type);
}

/** Returns true if a name may be more specific than the bytes: about the format in a container, or that it is audio. */
function isMoreExact(named: string, detected: string): boolean {
  const isSameContainer = named.split('/')[1] === detected.split('/')[1];
  return CONTAINERS.has(detected) || detected === 'image/tiff' || (isAudioOrVideo(detected) && isSameContainer);
}

/** Evidence for the type of a file. */
export interface TypeEvidence {
  /** Type declared by the sender, without parameters. */
  readonly declared: string;
  /** Type detected from the first bytes, without parameters; null if there is none. */
  readonly detected: string | null;
  /** Type of the file name's extension, or null. */
  readonly named: string | null;
  /** True if the first bytes contain no binary data byte (WHATWG MIME Sniffing). */
  readonly isText: boolean;
}

/**
 * Returns the content type with which a file is served. The declared type wins unless it is generic or contradicts the
 * bytes; then the bytes decide, then the extension.
 */
export function contentTypeOf({ declared, detected, named, isText }: TypeEvidence): string {
  // Some texts begin like a short binary signature: "BM" of a bitmap, "MZ" of a program.
  const shown = detected !== null && isText && !TEXTUAL.test(detected) ? null : detected;
  const isPossible = (type: string) => (shown === null ? !(isText && hasSignature(type)) : mayBe(type, shown));
  if (!MEDIA_TYPE.test(declared)) return shown ?? UNKNOWN;
  if (!GENERIC.has(declared)) return isPossible(declared) ? declared : (shown ?? UNKNOWN);
  if (named === null || named === UNKNOWN || !isPossible(named)) return shown ?? declared;
  return shown === null || isMoreExact(named, shown) ? named : shown;
}
