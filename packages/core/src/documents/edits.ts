import type { AccessScope } from '../access.ts';
import { type Actor, requireSignedIn } from '../actor.ts';
import { AppError } from '../errors.ts';
import { contentPointer } from '../json-pointer.ts';
import type { JsonStep } from '../json-steps.ts';
import { canonicalJson, isJsonObject, type ParsedJson, refuseUnfit } from '../json-text.ts';
import { openJson, writeJsonAt } from '../json-tree.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { DocumentAddress } from '../ports/storage/documents.ts';
import { byteLength } from '../utf8.ts';
import { addressOf, type DocumentPath } from './address.ts';
import { expectedVersion } from './body.ts';
import { parseFieldPath, parseTargetPath } from './field-path.ts';
import { type Patch, type PatchKind, parsePatch } from './patch.ts';
import type { DocumentScopes } from './scopes.ts';
import type { UniqueCheck } from './unique.ts';
import type { DocumentWrites } from './writes.ts';
import { edited, type WrittenDocument, written } from './written.ts';

/** Address of a field of a document in a request. */
export interface DocumentFieldPath extends DocumentPath {
  /** Parts of the path after the document, decoded. */
  readonly parts: readonly string[];
}

export interface DocumentFieldChange extends DocumentFieldPath {
  /** `{"data": …}` */
  readonly body: ParsedJson;
  /** Maximum size of the resulting content, in bytes. */
  readonly maxBytes: number;
}

export interface DocumentFieldRemoval extends DocumentFieldPath {
  /** Expected version of the document; null for any. */
  readonly version: number | null;
}

export interface DocumentPatch extends DocumentPath {
  readonly kind: PatchKind;
  readonly body: ParsedJson;
  /** Maximum size of the resulting content, in bytes. */
  readonly maxBytes: number;
}

export interface DocumentEditsDeps {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'digits'>;
  readonly scope: DocumentScopes['scope'];
  readonly checkAt: DocumentScopes['checkAt'];
  readonly writes: Pick<DocumentWrites, 'update'>;
  readonly policyAt: DocumentScopes['policyAt'];
  readonly unique: UniqueCheck;
  /** Returns the content of a document that may be updated and has the version; null otherwise. */
  readonly current: (place: DocumentAddress, held: AccessScope, version: number | null) => Promise<string | null>;
  /** Throws the error for a refused change. */
  readonly refuse: (path: DocumentPath, refusal: 'missing' | 'denied' | 'stale') => Promise<never>;
}

/**
 * Returns the new value of a field, from `{"data": …}`, as canonical JSON.
 *
 * @throws `field.data_missing`, `input.invalid`
 */
function fieldValue(body: ParsedJson): string {
  if (!isJsonObject(body.value) || !Object.hasOwn(body.value, 'data'))
    throw new AppError('field.data_missing', { input: '/data' });
  return canonicalJson(body, (key) => key !== 'data').slice('{"data":'.length, -1);
}

/** @param maxBytes maximum size of the changed content. @throws `document.too_large` */
function refuseLarge(changed: string, content: string, maxBytes: number): void {
  if (changed.length > content.length && byteLength(changed) > maxBytes) throw new AppError('document.too_large');
}

/** Part of the maximum size below which changes by callers who may not read a document are refused at random. */
const UNCERTAIN = 1 / 16;
const DIGITS = 6;

/**
 * Refuses a change by a caller who may not read the document. Decides before the change, because the size of its result
 * would reveal numbers and elements of lists. Sizes near the maximum are refused at random: otherwise a caller could
 * fill a document up to the maximum, and find the size of each value by what still fits.
 *
 * @param growth most bytes that the change may add
 * @throws `document.too_large`
 */
function refuseUnread(content: string, growth: number, maxBytes: number, { digits }: Pick<Secrets, 'digits'>): void {
  const certain = maxBytes * (1 - UNCERTAIN);
  if (growth === 0 || content.length * 3 + growth <= certain) return; // at most three bytes per UTF-16 unit
  const room = certain + maxBytes * UNCERTAIN * Number(`0.${digits(DIGITS)}`);
  if (byteLength(content) + growth > room) throw new AppError('document.too_large');
}

/** Returns the content without one field. @throws `field.not_found` */
function removeField(content: string, steps: readonly JsonStep[]): string {
  const tree = openJson(content);
  if (!tree.remove(steps)) throw new AppError('field.not_found');
  return tree.text();
}

/** Returns a change of one place. @param added most bytes that it may add */
const patchAt = (steps: readonly JsonStep[], apply: Patch['apply'], added = 0): Patch => ({
  places: () => [contentPointer(steps)],
  growth: () => added,
  passes: 1,
  apply,
});

/** Returns the size of a member or element to set, with the list that may be created for it, in bytes. */
const sizeAt = (steps: readonly JsonStep[], value: string) => byteLength(JSON.stringify(steps)) + byteLength(value);

type Edit = Patch & {
  /** Expected version; null for any. */
  readonly version: number | null;
  /** Maximum size of the resulting content, in bytes. */
  readonly maxBytes: number;
  /** True if the document gets a new version even if its content stays the same. */
  readonly isAlwaysNew: boolean;
};

/** Applies an edit with the actor's permissions, if the result conforms to the schema of the collection. */
async function edit(
  { clock, secrets, scope, checkAt, policyAt, writes, unique, current, refuse }: DocumentEditsDeps,
  actor: Actor,
  path: DocumentPath,
  { places, growth, passes, apply, version, maxBytes, isAlwaysNew }: Edit,
): Promise<WrittenDocument> {
  const place = addressOf(path);
  const check = await checkAt(place);
  const change = edited(places, (content, isReadable) => {
    if (!isReadable) refuseUnread(content, growth(), maxBytes, secrets);
    const changed = apply(content);
    if (isReadable) refuseLarge(changed, content, maxBytes);
    refuseUnfit(changed);
    check?.(changed);
    // To callers who may not read the document, an unchanged version would disclose its content.
    return changed === content && isReadable && !isAlwaysNew ? null : changed;
  });
  const held = await scope(actor, place);
  /** Returns the likely result. Errors of the change are those of the write. */
  async function content(): Promise<string | null> {
    const before = await current(place, held, version);
    try {
      return before && change(before, true);
    } catch {
      return null;
    }
  }
  const policy = await policyAt(place);
  const search = policy?.search ?? undefined;
  const result = await unique(policy, { actor, ...place, content }, (verify) =>
    writes.update(actor, place, held, { content: change, passes, updated: clock.now(), version, search, verify }),
  );
  return typeof result === 'string' ? refuse(path, result) : written(result);
}

/** Use cases that change parts of a document and preserve everything else, including concurrent changes. */
export interface DocumentEdits {
  /**
   * Changes one field. Concurrent calls that append with `[]` all succeed. An index names one element, so the last of
   * several calls wins.
   *
   * @throws as `replace`, `field.*` (but `not_found`), `document.busy`, `document.too_large`, `batch.work_too_large`
   */
  setField(actor: Actor, change: DocumentFieldChange): Promise<WrittenDocument>;
  /**
   * Removes one field, under the conditions of `setField`. Elements after a removed element move up.
   *
   * @throws `auth.required`, `collection.not_found`, `document.not_found`, `access.denied`, `document.stale`,
   * `document.busy`, `document.invalid`, `field.path_invalid`, `field.owned`, `field.not_found`
   */
  removeField(actor: Actor, removal: DocumentFieldRemoval): Promise<WrittenDocument>;
  /**
   * Changes several places atomically. Concurrent calls take effect one after the other.
   *
   * @throws as `setField`, `patch.invalid`, `field.type_invalid`
   */
  patch(actor: Actor, change: DocumentPatch): Promise<WrittenDocument>;
}

export const createDocumentEdits = (deps: DocumentEditsDeps): DocumentEdits => ({
  async setField(actor, { parts, body, maxBytes, ...path }) {
    requireSignedIn(actor);
    const steps = parseTargetPath(parts);
    const value = fieldValue(body);
    const change = patchAt(steps, (content) => writeJsonAt(content, steps, value), sizeAt(steps, value));
    return edit(deps, actor, path, { ...change, version: expectedVersion(body), maxBytes, isAlwaysNew: true });
  },

  async removeField(actor, { parts, version, ...path }) {
    requireSignedIn(actor);
    const steps = parseFieldPath(parts);
    const change = patchAt(steps, (content) => removeField(content, steps));
    const maxBytes = Number.POSITIVE_INFINITY;
    return edit(deps, actor, path, { ...change, version, maxBytes, isAlwaysNew: true });
  },

  async patch(actor, { kind, body, maxBytes, ...path }) {
    requireSignedIn(actor);
    const change = parsePatch(kind, body);
    return edit(deps, actor, path, { ...change, version: expectedVersion(body), maxBytes, isAlwaysNew: false });
  },
});
