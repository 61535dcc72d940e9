import { AppError } from '../errors.ts';
import { type JsonStep, writeJsonAt } from '../json-edit.ts';
import { canonicalJson, isJsonObject, type ParsedJson, refuseDeep } from '../json-text.ts';
import type { AppendWatch } from './appends.ts';

/**
 * The new value of a field, as canonical JSON: what `{"data": …}` holds.
 *
 * @throws `field.data_missing`, `input.invalid`
 */
export function fieldValue(body: ParsedJson): string {
  if (!isJsonObject(body.value) || !Object.hasOwn(body.value, 'data')) throw new AppError('field.data_missing');
  return canonicalJson(body, (key) => key !== 'data').slice('{"data":'.length, -1);
}

/** Bytes of a text in UTF-8. */
function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char < 0x80) continue;
    // Half of a pair is two bytes of the four.
    bytes += char < 0x800 || (char >= 0xd800 && char <= 0xdfff) ? 1 : 2;
  }
  return bytes;
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
