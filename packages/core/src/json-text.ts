import { AppError } from './errors.ts';
import { canonicalText } from './json-canonical.ts';
import { endOfExactNumber } from './json-numbers.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, endOfString, isDigit, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-scan.ts';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** JSON text with its parsed value, so that neither has to be derived again. */
export interface ParsedJson {
  readonly text: string;
  readonly value: JsonValue;
}

const BYTE_ORDER_MARK = '\ufeff';

/** Maximum nesting of JSON. Some databases reject deeper values or overflow their stack. */
export const MAX_JSON_DEPTH = 200;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the engine's message without the quoted part of the text, which may contain a password. */
function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const quote = message.search(/(?:^|, )(?:\.\.\.)?"/);
  return (quote === -1 ? message : message.slice(0, quote)) || 'it does not begin like a JSON value';
}

/**
 * Parses JSON sent by a client. A leading byte order mark is ignored (RFC 8259, section 8.1): programs on Windows write it.
 *
 * @param input name or JSON Pointer of a text that is a part of the body, for failures that name an input
 * @throws `input.json_invalid` for a syntax error (with its place), for too deep nesting, and for U+0000 in a string,
 * because databases cannot store it in names and ids; `json.number_inexact` for a number that would come back changed
 */
export const parseJson = (sent: string, input?: string): ParsedJson => parsed(sent, (text) => refuseUnfit(text, input));

/** Parses JSON whose parts are passed on as text, so that numbers may have any digits. @throws `input.json_invalid` */
export const parsePassedJson = (sent: string): ParsedJson => parsed(sent, refuseDeep);

function parsed(sent: string, refuse: (text: string) => void): ParsedJson {
  const text = sent.startsWith(BYTE_ORDER_MARK) ? sent.slice(1) : sent;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('input.json_invalid', { detail: problemOf(cause) });
  }
  refuse(text);
  if (text.includes('\\u0000') && ESCAPED_NUL.test(text)) {
    throw new AppError('input.json_invalid', { detail: 'strings must not contain U+0000' });
  }
  return { text, value };
}

/**
 * Returns the stored text of a JSON value. It is compact, contains each key once (the last one wins), and preserves the
 * order of members, also of those whose names look like numbers, which JavaScript would move to the front.
 *
 * @param json a result of `parseJson`
 * @param omit returns true for members of the outermost object to leave out
 * @throws `input.invalid` for U+0000 or an unpaired surrogate in a string, which databases do not store faithfully
 */
export function canonicalJson({ text, value }: ParsedJson, omit?: (key: string) => boolean): string {
  const whole = JSON.stringify(value);
  const omits = omit !== undefined && isJsonObject(value) && Object.keys(value).some(omit);
  const canonical = whole === text && !omits ? whole : rewritten({ text, value }, whole, omits ? omit : undefined);
  refuseUnstorable(canonical);
  return canonical;
}

/** A name that JavaScript would move to the front. Serialized JSON has an unescaped quote only around names and strings. */
const INDEX_NAME = /"(?:0|[1-9]\d{0,9})":/;
/** @param whole the value as JavaScript serializes it */
function rewritten({ text, value }: ParsedJson, whole: string, omit?: (key: string) => boolean): string {
  if (INDEX_NAME.test(whole)) return canonicalText(text, omit ?? (() => false));
  if (omit === undefined || !isJsonObject(value)) return whole;
  return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([name]) => !omit(name))));
}

const tooDeep = () =>
  new AppError('input.json_invalid', { detail: `the nesting is deeper than ${MAX_JSON_DEPTH} levels` });

/** A short text in which a number may be inexact: it has 16 digits or an exponent of three. Others need no scan. */
const SUSPICIOUS = /\d{16}|\d[eE]\+?0*[1-9]\d\d/;

/**
 * @param text valid JSON
 * @param input see `parseJson`
 * @throws `input.json_invalid` if it is nested deeper than MAX_JSON_DEPTH, `json.number_inexact`
 */
export function refuseUnfit(text: string, input?: string): void {
  if (text.length <= MAX_JSON_DEPTH && !SUSPICIOUS.test(text)) return;
  scan(text, (start) => endOfExactNumber(text, start, input));
}

function refuseDeep(text: string): void {
  if (text.length > MAX_JSON_DEPTH) scan(text, (start) => start + 1);
}

function scan(text: string, endOfNumber: (start: number) => number): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) i = endOfString(text, i) - 1;
    else if (isDigit(char)) i = endOfNumber(i) - 1;
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth--;
    else if ((char === OPEN_BRACE || char === OPEN_BRACKET) && ++depth > MAX_JSON_DEPTH) throw tooDeep();
  }
}

const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;
// JSON.stringify writes surrogate pairs unescaped, so an escaped surrogate is unpaired.
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

function refuseUnstorable(text: string): void {
  if (text.includes('\\u') && UNSTORABLE.test(text)) {
    throw new AppError('input.invalid', { detail: 'strings must not contain U+0000 or an unpaired surrogate' });
  }
}
