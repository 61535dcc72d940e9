import { texts } from '../texts.ts';

export type JsonObject = { readonly [name: string]: unknown };

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** Parses a JSON object; returns the browser's error message for invalid text. */
export function parseObject(text: string): Parsed<JsonObject> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: value as JsonObject };
    return { problem: texts.json.notObject };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

export const formatJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** Returns true if a value contains integers that JavaScript has rounded, so that saving would change them. */
export function isRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isRounded);
}
