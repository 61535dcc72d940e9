import { texts } from '../texts.ts';

export type JsonObject = { readonly [name: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** Strings in JSON, names with their colons, the ends of objects, and numbers. */
const TOKEN = /"(?:[^"\\]+|\\.)*"(\s*:)?|[{}]|-?\d[\d.eE+-]*/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/** Returns true if the browser keeps the digits of a number, or writes them so itself. */
export function isKept(number: string): boolean {
  const value = Number(number);
  if (!LONG_INTEGER.test(number)) return Number.isFinite(value);
  return String(value) === number || BigInt(value) === BigInt(number);
}

/** Finds what parsing would lose: a name that occurs twice in an object, or digits of a number. Null: nothing. */
function lossOf(json: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, colon] of json.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (!token.startsWith('"') && !isKept(token)) return texts.json.inexact(token);
    if (colon === undefined) continue;
    const name: string = JSON.parse(token.slice(0, -colon.length));
    if (open.at(-1)?.has(name) === true) return texts.json.repeated(JSON.stringify(name));
    open.at(-1)?.add(name);
  }
  return null;
}

/** Parses JSON. @throws `Error` with the browser's message for invalid JSON, and if something of the text would be lost */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const loss = lossOf(text);
  if (loss !== null) throw new SyntaxError(loss);
  return value;
}

/** Parses a JSON object; returns the browser's error message for invalid text. */
export function parseObject(text: string): Parsed<JsonObject> {
  try {
    const value = parseJson(text);
    if (isObject(value)) return { value };
    return { problem: texts.json.notObject };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

export const formatJson = (value: unknown): string => JSON.stringify(value, null, 2);
