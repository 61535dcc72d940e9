import { AppError } from './errors.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  endsScalar,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-scan.ts';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** JSON text with its parsed value, so that neither has to be derived again. */
export interface ParsedJson {
  readonly text: string;
  readonly value: JsonValue;
}

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
 * Parses JSON sent by a client.
 *
 * @throws `input.json_invalid` for a syntax error (with its place), for too deep nesting, and for U+0000 in a string,
 * because databases cannot store it in names and ids
 */
export function parseJson(text: string): ParsedJson {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('input.json_invalid', { detail: problemOf(cause) });
  }
  if (text.length > MAX_JSON_DEPTH) refuseDeep(text);
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
 * @throws `input.invalid` for U+0000 or an unpaired surrogate in a string, which databases do not store faithfully, and
 * for a number beyond the range of a double, which would be read back as null
 */
export function canonicalJson({ text, value }: ParsedJson, omit?: (key: string) => boolean): string {
  const plain = JSON.stringify(value);
  const omits = omit !== undefined && isJsonObject(value) && Object.keys(value).some(omit);
  const canonical = plain === text && !omits ? plain : createRewriter(text, omit).run();
  refuseUnstorable(canonical);
  return canonical;
}

/** @throws `input.json_invalid` if `text`, which is valid JSON, is nested deeper than MAX_JSON_DEPTH */
export function refuseDeep(text: string): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) i = endOfString(text, i) - 1;
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth++;
      if (depth > MAX_JSON_DEPTH) {
        throw new AppError('input.json_invalid', { detail: `the nesting is deeper than ${MAX_JSON_DEPTH} levels` });
      }
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth--;
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

/** Creates a rewriter for JSON that is known to be valid. The caller limits the depth. */
function createRewriter(text: string, omit: ((key: string) => boolean) | undefined) {
  let at = 0;

  function skipSpace(): void {
    while (isSpace(text.charCodeAt(at))) at++;
  }

  function string(): string {
    const start = at;
    at = endOfString(text, at);
    return JSON.parse(text.slice(start, at));
  }

  function scalar(): string {
    if (text.charCodeAt(at) === QUOTE) return JSON.stringify(string());
    const start = at;
    while (!endsScalar(text.charCodeAt(at))) at++;
    const value: JsonValue = JSON.parse(text.slice(start, at));
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      throw new AppError('input.invalid', { detail: `the number ${text.slice(start, start + 40)} is too large` });
    }
    return JSON.stringify(value);
  }

  /** Calls `item` for each item up to the closing character. */
  function items(close: number, item: () => void): void {
    at++;
    skipSpace();
    while (text.charCodeAt(at) !== close) {
      item();
      skipSpace();
      if (text.charCodeAt(at) === COMMA) at++;
      skipSpace();
    }
    at++;
  }

  function object(depth: number): string {
    const members = new Map<string, string>();
    items(CLOSE_BRACE, () => {
      const key = string();
      skipSpace();
      at++; // the colon
      const member = value(depth + 1);
      if (depth > 0 || omit?.(key) !== true) members.set(key, member);
    });
    return `{${Array.from(members, ([key, member]) => `${JSON.stringify(key)}:${member}`).join(',')}}`;
  }

  function array(depth: number): string {
    const values: string[] = [];
    items(CLOSE_BRACKET, () => values.push(value(depth + 1)));
    return `[${values.join(',')}]`;
  }

  function value(depth: number): string {
    skipSpace();
    const char = text.charCodeAt(at);
    if (char === OPEN_BRACE) return object(depth);
    if (char === OPEN_BRACKET) return array(depth);
    return scalar();
  }

  return { run: () => value(0) };
}
