import { AppError } from '../errors.ts';
import { type JsonStep, writeJsonAt } from '../json-edit.ts';
import { canonicalJson, isJsonObject, type ParsedJson, refuseDeep } from '../json-text.ts';
import { byteLength } from '../utf8.ts';
import type { AppendWatch } from './appends.ts';

/**
 * The new value of a field, as canonical JSON: what `{"data": …}` holds.
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
  /** Bytes that the content may grow to. */
  readonly maxBytes: number;
  readonly watch: AppendWatch;
}

/**
 * The content with one field changed.
 *
 * @throws `field.unreachable`, `document.busy`, `document.too_large`, `input.json_invalid` when it is nested too deeply
 */
export function changeField(content: string, { steps, value, maxBytes, watch }: FieldChange): string {
  const { text, isNew } = writeJsonAt(content, steps, value);
  if (typeof steps.at(-1) === 'number') watch.judge(isNew);
  if (text.length > content.length && byteLength(text) > maxBytes) throw new AppError('document.too_large');
  refuseDeep(text);
  return text;
}
