import { AppError, readInput } from '../errors.ts';
import { canonicalJson, isJsonObject, parseJson } from '../json-text.ts';

/**
 * Returns the data attached to a file as canonical JSON text; `{}` if there is none. @throws `input.invalid`,
 * `input.json_invalid`, `json.number_inexact`
 */
export function parseAttachedData(text: string | null): string {
  if (text === null || text.trim() === '') return '{}';
  return readInput('/attachedData', () => {
    const json = parseJson(text, '/attachedData');
    if (!isJsonObject(json.value))
      throw new AppError('input.invalid', { detail: 'attachedData must be a JSON object' });
    return canonicalJson(json);
  });
}
