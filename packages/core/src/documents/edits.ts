import { type Actor, requireSignedIn } from '../actor.ts';
import { type JsonStep, writeJsonAt } from '../json-edit.ts';
import type { ParsedJson } from '../json-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { addressOf, type DocumentPath } from './address.ts';
import { expectedVersion } from './content.ts';
import { parseFieldPath, parseTargetPath } from './field-path.ts';
import { fieldValue, refuseLarge, removeField } from './fields.ts';
import { type Patch, type PatchKind, parsePatch } from './patch.ts';
import { contentPointer } from './patch-operators.ts';
import type { DocumentScopes } from './scopes.ts';
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
  readonly storage: Stores;
  readonly clock: Clock;
  readonly scope: DocumentScopes['scope'];
  readonly checkAt: DocumentScopes['checkAt'];
  /** Throws the error for a refused change. */
  readonly refuse: (path: DocumentPath, refusal: 'missing' | 'denied' | 'stale') => Promise<never>;
}

const patchAt = (steps: readonly JsonStep[], apply: Patch['apply']): Patch => ({
  places: () => [contentPointer(steps)],
  apply,
});

type Edit = Patch & { readonly version: number | null };

/** Applies an edit with the actor's permissions, if the result conforms to the schema of the collection. */
async function edit(
  { storage, clock, scope, checkAt, refuse }: DocumentEditsDeps,
  actor: Actor,
  path: DocumentPath,
  { places, apply, version }: Edit,
): Promise<WrittenDocument> {
  const place = addressOf(path);
  const check = await checkAt(place);
  const change = edited(places, (content) => {
    const changed = apply(content);
    check?.text(changed);
    return changed;
  });
  const held = await scope(actor, place);
  const result = await storage.documents.edit(place, held, { change, updated: clock.now(), version });
  return typeof result === 'string' ? refuse(path, result) : written(result);
}

/** Rejects a result larger than `maxBytes`. */
const within = (maxBytes: number, apply: Patch['apply']) => (content: string) => {
  const changed = apply(content);
  refuseLarge(changed, content, maxBytes);
  return changed;
};

/** Use cases that change parts of a document and preserve everything else, including concurrent changes. */
export interface DocumentEdits {
  /**
   * Changes one field. Concurrent calls that append with `[]` all succeed. An index names one element, so the last of
   * several calls wins.
   *
   * @throws as `replace`, `field.*` (but `not_found`), `document.busy`, `document.too_large`
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
    const apply = within(maxBytes, (content) => writeJsonAt(content, steps, value));
    return edit(deps, actor, path, { ...patchAt(steps, apply), version: expectedVersion(body) });
  },

  async removeField(actor, { parts, version, ...path }) {
    requireSignedIn(actor);
    const steps = parseFieldPath(parts);
    return edit(deps, actor, path, { ...patchAt(steps, (content) => removeField(content, steps)), version });
  },

  async patch(actor, { kind, body, maxBytes, ...path }) {
    requireSignedIn(actor);
    const { places, apply } = parsePatch(kind, body);
    return edit(deps, actor, path, { places, apply: within(maxBytes, apply), version: expectedVersion(body) });
  },
});
