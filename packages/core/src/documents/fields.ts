import { AppError } from '../errors.ts';
import { type JsonStep, removeJsonAt, writeJsonAt } from '../json-edit.ts';
import { canonicalJson, isJsonObject, type ParsedJson, refuseDeep } from '../json-text.ts';
import { byteLength } from '../utf8.ts';

/**
 * The new value of a field, from `{"data": …}`, as canonical JSON.
 *
 * @throws `field.data_missing`, `input.invalid`
 */
export function fieldValue(body: ParsedJson): string {
  if (!isJsonObject(body.value) || !Object.hasOwn(body.value, 'data'))
    throw new AppError('field.data_missing', { input: '/data' });
  return canonicalJson(body, (key) => key !== 'data').slice('{"data":'.length, -1);
}

export interface FieldChange {
  readonly steps: readonly JsonStep[];
  /** Canonical JSON. */
  readonly value: string;
  /** Maximum size of the resulting content, bytes. */
  readonly maxBytes: number;
}

/**
 * The content with one field changed.
 *
 * @throws `field.unreachable`, `document.too_large`, `input.json_invalid` when the result is nested too deeply
 */
export function changeField(content: string, { steps, value, maxBytes }: FieldChange): string {
  const text = writeJsonAt(content, steps, value);
  if (text.length > content.length && byteLength(text) > maxBytes) throw new AppError('document.too_large');
  refuseDeep(text);
  return text;
}

/** The content without one field. @throws `field.not_found` */
export function removeField(content: string, steps: readonly JsonStep[]): string {
  const text = removeJsonAt(content, steps);
  if (text === null) throw new AppError('field.not_found');
  return text;
}
