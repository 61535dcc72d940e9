import { AppError } from '../errors.ts';
import { BEHIND_LAST, type JsonStep, removeJsonAt, writeJsonAt } from '../json-edit.ts';
import { canonicalJson, isJsonObject, type ParsedJson, refuseDeep } from '../json-text.ts';
import type { EditState } from '../ports/storage/documents.ts';
import { byteLength } from '../utf8.ts';
import type { AppendWatch } from './appends.ts';

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
  readonly watch: AppendWatch;
  /** Whether the caller names the version, and so knows the current content. */
  readonly isInformed: boolean;
}

/**
 * The content with one field changed.
 *
 * @throws `field.unreachable`, `field.index_taken`, `document.too_large`, `input.json_invalid` when the result is nested
 *   too deeply
 */
export function changeField({ content, trace }: EditState, change: FieldChange): EditState {
  const { steps, value, maxBytes, watch, isInformed } = change;
  const { text, isNew, index } = writeJsonAt(content, steps, value);
  let newTrace = trace;
  if (index !== null && (isNew || !isInformed)) {
    const added = steps.at(-1) === BEHIND_LAST ? 'push' : 'fill';
    newTrace = watch.judge({ index, kind: isNew ? added : 'replace' }, trace);
  }
  if (text.length > content.length && byteLength(text) > maxBytes) throw new AppError('document.too_large');
  refuseDeep(text);
  return { content: text, trace: newTrace };
}

/**
 * The content without one field. The trace stays: an append after the caller's view of a list was traced at that view's
 * length, wherever its element has moved since (see `createAppendWatches`).
 *
 * @throws `field.not_found`
 */
export function removeField({ content, trace }: EditState, steps: readonly JsonStep[]): EditState {
  const text = removeJsonAt(content, steps);
  if (text === null) throw new AppError('field.not_found');
  return { content: text, trace };
}
