const UNKNOWN = 'application/octet-stream';
const PLAIN = 'text/plain';

/** A type without parameters (RFC 6838, section 4.2). */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

/** What senders write who do not know the type. A form part without a type counts as `text/plain` (RFC 7578). */
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

/** Container formats: the sender or the name says what they contain. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/xml',
  'application/x-cfb',
  'application/zip',
]);

/** Types that consist of text. Among them are all that a browser runs. */
const TEXT = /^text\/|^application\/(?:json|xml|javascript|ecmascript|x-javascript|rtf)$|\+(?:xml|json)$/;
/** Types whose first bytes may be text. */
const TEXTUAL = new RegExp(`${TEXT.source}|^application/pdf$`);

/** Playlists and images that consist of text. */
const TEXT_MEDIA = /mpegurl|scpls|\+xml$|^image\/x-(?:portable-|xbitmap|xpixmap)/;

/** Types with a binary signature: text is not of that type. */
const hasSignature = (type: string) =>
  (/^(?:image|audio|video|font)\//.test(type) || type === 'application/pdf') && !TEXT_MEDIA.test(type);

const isAudioOrVideo = (type: string) =>
  /^(?:audio|video)\/|^application\/(?:ogg|mp4|mxf|vnd\.ms-asf|x-matroska)$/.test(type);

/** Families of image formats whose first bytes are the same. */
const IMAGE_FAMILIES: readonly RegExp[] = [/^image\/(?:hei[cf]|avif)/, /^image\/(?:vnd\.mozilla\.)?a?png$/];

/** Whether bytes that were detected as one type may be of another one. */
function mayBe(type: string, detected: string): boolean {
  if (type === detected) return true;
  if (TEXT.test(type)) return TEXT.test(detected);
  if (CONTAINERS.has(detected)) return !hasSignature(type);
  // One container holds audio or video, and recorders write the same head for both.
  if (isAudioOrVideo(type)) return isAudioOrVideo(detected);
  if (type.startsWith('font/')) return detected.startsWith('font/');
  // Raw photos of many cameras are TIFF.
  if (detected === 'image/tiff') return type.startsWith('image/') || !hasSignature(type);
  if (type.startsWith('image/')) return IMAGE_FAMILIES.some((family) => family.test(type) && family.test(detected));
  return !hasSignature(type);
}

/** Whether a name may say more than the bytes: which format a container holds, or that it holds audio. */
function isMoreExact(named: string, detected: string): boolean {
  const isSameContainer = named.split('/')[1] === detected.split('/')[1];
  return CONTAINERS.has(detected) || detected === 'image/tiff' || (isAudioOrVideo(detected) && isSameContainer);
}

/** What is known about the type of a file. */
export interface TypeEvidence {
  /** The type that the sender declared, without parameters. */
  readonly declared: string;
  /** The type that the first bytes show, without parameters; null if they show none. */
  readonly detected: string | null;
  /** The type that the extension of the file name stands for, or null. */
  readonly named: string | null;
  /** Whether the first bytes contain none that text never contains (WHATWG MIME Sniffing, "binary data byte"). */
  readonly isText: boolean;
}

/**
 * The content type that a file is served as. The declared type wins unless it says nothing or the bytes contradict it;
 * then the bytes decide, then the extension.
 */
export function contentTypeOf({ declared, detected, named, isText }: TypeEvidence): string {
  // Short binary signatures also begin texts: "BM" a bitmap, "MZ" a program.
  const shown = detected !== null && isText && !TEXTUAL.test(detected) ? null : detected;
  const isPossible = (type: string) => (shown === null ? !(isText && hasSignature(type)) : mayBe(type, shown));
  if (!MEDIA_TYPE.test(declared)) return shown ?? UNKNOWN;
  if (!GENERIC.has(declared)) return isPossible(declared) ? declared : (shown ?? UNKNOWN);
  if (named === null || named === UNKNOWN || !isPossible(named)) return shown ?? declared;
  return shown === null || isMoreExact(named, shown) ? named : shown;
}
