import { texts } from '../texts.ts';

export type JsonObject = { readonly [name: string]: unknown };

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

/** The text of a JSON object, or what is wrong with it in the words of the browser. */
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

/** Whether a value has whole numbers that JavaScript has rounded, so that saving it would change them. */
export function isRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(isRounded);
}
