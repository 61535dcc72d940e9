import { EVERYTHING } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { CollectionPolicy, CompiledCheck } from '../collections/policies.ts';
import { matches } from '../criteria/evaluate.ts';
import { bindCaller, pathsIn } from '../criteria/rules.ts';
import type { Condition, Path } from '../criteria/syntax.ts';
import { resolverOf, valueAt } from '../criteria/values.ts';
import { changedPath } from '../criteria/where.ts';
import type { JsonObject, JsonValue } from '../json-text.ts';
import type { CheckedAction } from '../ports/storage/collections.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { Stores } from '../ports/storage/storage.ts';
import { wireDate } from '../wire.ts';
import { parentOf } from './ruled-rights.ts';

/** A write to which a check applies. Absent documents are null. */
interface CheckedWrite {
  readonly old: DocumentRecord | null;
  readonly new: DocumentRecord | null;
  readonly parent: DocumentRecord | null;
  /** In milliseconds. */
  readonly now: number;
}

/** Returns the document as a value, with the names that the server owns. */
const asValue = (document: DocumentRecord | null): JsonValue =>
  document === null
    ? null
    : {
        ...(JSON.parse(document.content) as JsonObject),
        id: document.id,
        _author: document.author,
        _updated_by: document.updatedBy,
        _creation_date: wireDate(document.created),
        _update_date: wireDate(document.updated),
        '@version': document.version,
      };

/** Returns true if a write satisfies a check. */
function satisfies(check: Condition, actor: Actor, write: CheckedWrite): boolean {
  const values: JsonObject = {
    old: asValue(write.old),
    new: asValue(write.new),
    parent: asValue(write.parent),
    now: wireDate(write.now),
  };
  const resolve = resolverOf(values);
  const at = (state: 'old' | 'new', path: Path) => JSON.stringify(valueAt([state, ...path], resolve) ?? null);
  return matches(bindCaller(check, actor), (name) => {
    const path = changedPath(name);
    return path === null ? resolve(name) : at('old', path) !== at('new', path);
  });
}

/** A write by an actor, in a collection with a policy. */
export interface PolicedWrite extends Omit<CheckedWrite, 'parent'> {
  readonly stores: Pick<Stores, 'documents'>;
  readonly policy: CollectionPolicy;
  readonly actor: Actor;
}

/**
 * Returns the check that a write does not satisfy; null without one. Also for actors to whom no check applies.
 */
export async function failedCheck(action: CheckedAction, write: PolicedWrite): Promise<CompiledCheck | null> {
  const { stores, policy, actor } = write;
  const check = policy.checks[action];
  if (check === undefined) return null;
  const document = write.new ?? write.old;
  const isNamed = pathsIn(check.condition).some(([name]) => name === 'parent');
  const id = policy.parent === null || document === null || !isNamed ? null : parentOf(document, policy.parent.path);
  const collection = policy.parent?.collection ?? null;
  const parent = id === null ? null : await stores.documents.find({ collection, id }, EVERYTHING);
  return satisfies(check.condition, actor, { ...write, parent }) ? null : check;
}
