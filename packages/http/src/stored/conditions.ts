import type { IncomingHttpHeaders } from 'node:http';

/** Validators of a resource's state (RFC 9110, section 8.8). */
export interface Validators {
  /** A strong entity tag, with its quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** How many hexadecimal digits of a digest tell contents apart: 128 bits. */
const TAG_DIGITS = 32;

/** The entity tag of stored content. @param variant of an image: its name in the tag */
export const etagOf = (sha256: string, variant?: string) =>
  `"${sha256.slice(0, TAG_DIGITS)}${variant === undefined ? '' : `.${variant}`}"`;

/** HTTP dates have whole seconds. */
const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

const tagsIn = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** Strong comparison (RFC 9110, section 8.8.3.2): a weak tag never matches. */
const hasTag = (header: string, etag: string) => header.trim() === '*' || tagsIn(header).includes(etag);
/** Weak comparison: a weak tag matches too. */
const hasWeakly = (header: string, etag: string) =>
  header.trim() === '*' || tagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);

/** Whole seconds since the epoch. Null when it is not a date: the condition is then ignored. */
function dateIn(header: string | undefined): number | null {
  const time = header === undefined ? Number.NaN : Date.parse(header);
  return Number.isNaN(time) ? null : seconds(time);
}

/** Evaluates the conditions of a GET or HEAD (RFC 9110, section 13.2.2). */
export function evaluateConditions(
  headers: IncomingHttpHeaders,
  { etag, modified }: Validators,
): 'serve' | 'unchanged' | 'failed' {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) {
    if (!hasTag(match, etag)) return 'failed';
  } else {
    const limit = dateIn(headers['if-unmodified-since']);
    if (limit !== null && seconds(modified) > limit) return 'failed';
  }
  if (noneMatch !== undefined) return hasWeakly(noneMatch, etag) ? 'unchanged' : 'serve';
  const known = dateIn(headers['if-modified-since']);
  return known !== null && seconds(modified) <= known ? 'unchanged' : 'serve';
}

/** Whether `If-Range` allows a range: only when the client's part is of exactly this state. */
export function allowsRange({ 'if-range': header }: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  if (header === undefined || typeof header !== 'string') return header === undefined;
  return header.includes('"') ? header.trim() === etag : dateIn(header) === seconds(modified);
}
