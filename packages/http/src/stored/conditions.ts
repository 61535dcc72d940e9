import type { IncomingHttpHeaders } from 'node:http';

/** Validators of a resource's state (RFC 9110, section 8.8). */
export interface Validators {
  /** Strong entity tag, including its quotes. */
  readonly etag: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** Number of hexadecimal digits of a digest that identify content: 128 bits. */
const TAG_DIGITS = 32;

/** Returns the entity tag of stored content. @param variant distinguishes contents that are made of the same bytes */
export const etagOf = (sha256: string, variant?: string) =>
  `"${sha256.slice(0, TAG_DIGITS)}${variant === undefined ? '' : `.${variant}`}"`;

/** HTTP dates have whole seconds. */
const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

const tagsIn = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** Strong comparison (RFC 9110, section 8.8.3.2): weak tags never match. */
const hasTag = (header: string, etag: string) => header.trim() === '*' || tagsIn(header).includes(etag);
/** Weak comparison: weak tags match too. */
const hasWeakly = (header: string, etag: string) =>
  header.trim() === '*' || tagsIn(header).some((tag) => tag.replace(/^W\//, '') === etag);

/** Returns whole seconds since the epoch, or null for an invalid date, whose condition is then ignored. */
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

/** True if `If-Range` allows a range, because the client's part is of exactly this state. */
export function allowsRange({ 'if-range': header }: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  if (header === undefined || typeof header !== 'string') return header === undefined;
  return header.includes('"') ? header.trim() === etag : dateIn(header) === seconds(modified);
}
