import { AppError } from '../errors.ts';
import { type JsonStep, removeJsonAt } from '../json-edit.ts';
import { canonicalJson, isJsonObject, type ParsedJson, refuseDeep } from '../json-text.ts';
import { byteLength } from '../utf8.ts';

/**
 * Returns the new value of a field, from `{"data": …}`, as canonical JSON.
 *
 * @throws `field.data_missing`, `input.invalid`
 */
export function fieldValue(body: ParsedJson): string {
  if (!isJsonObject(body.value) || !Object.hasOwn(body.value, 'data'))
    throw new AppError('field.data_missing', { input: '/data' });
  return canonicalJson(body, (key) => key !== 'data').slice('{"data":'.length, -1);
}

/** @param maxBytes maximum size of the changed content. @throws `document.too_large`, `input.json_invalid` for deep nesting */
export function refuseLarge(changed: string, content: string, maxBytes: number): void {
  if (changed.length > content.length && byteLength(changed) > maxBytes) throw new AppError('document.too_large');
  refuseDeep(changed);
}

/** Returns the content without one field. @throws `field.not_found` */
export function removeField(content: string, steps: readonly JsonStep[]): string {
  const text = removeJsonAt(content, steps);
  if (text === null) throw new AppError('field.not_found');
  return text;
}
