import { documentResolver } from '../criteria/names.ts';
import type { Path } from '../criteria/syntax.ts';
import { type Resolve, type Value, valueAt } from '../criteria/values.ts';
import { AppError } from '../errors.ts';
import { userKey } from '../names/names.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import { isUuid } from '../wire.ts';
import { isProfile, type Reference } from './references.ts';

/** Maximum number of different documents and profiles expanded in a response. */
const MAX_EXPANDED = 1000;

/** Target of a reference. */
export type ReferenceTarget =
  | { readonly kind: 'profile'; readonly key: string }
  | { readonly kind: 'document' | 'documents'; readonly ids: readonly string[] };

export interface Referring {
  readonly reference: Reference;
  readonly target: ReferenceTarget;
}

export function expandLimit(problem: string): AppError {
  const detail = `${problem}; ask for fewer rows with recordsPerPage, or expand fewer fields`;
  return new AppError('expand.limit', { detail, input: 'expand' });
}

const idsIn = (value: Value): string[] => (typeof value === 'string' && isUuid(value) ? [value.toLowerCase()] : []);

function profileOf(value: Value): ReferenceTarget | null {
  return typeof value === 'string' ? { kind: 'profile', key: userKey(value) } : null;
}

function targetOf(value: Value): ReferenceTarget | null {
  if (Array.isArray(value)) return { kind: 'documents', ids: value.flatMap(idsIn) };
  const ids = idsIn(value);
  return ids.length === 0 ? null : { kind: 'document', ids };
}

/** Returns the targets of documents' references. Reads each field of a document once. */
export function createTargets() {
  const known = new Map<Path, Map<string, ReferenceTarget | null>>();

  function targetAt(path: Path, id: string, resolve: Resolve): ReferenceTarget | null {
    const byId = known.get(path) ?? new Map<string, ReferenceTarget | null>();
    known.set(path, byId);
    let target = byId.get(id);
    if (target === undefined) {
      target = targetOf(valueAt(path, resolve));
      byId.set(id, target);
    }
    return target;
  }

  /** Returns the references of a document that have a target. */
  return (document: DocumentRecord, references: readonly Reference[]): Referring[] => {
    const resolve = documentResolver(document); // parses on first use
    return references.flatMap((reference) => {
      const { path } = reference;
      const target = isProfile(path) ? profileOf(valueAt(path, resolve)) : targetAt(path, document.id, resolve);
      return target === null ? [] : [{ reference, target }];
    });
  };
}

export type TargetsOf = ReturnType<typeof createTargets>;

/** Items to look up, in order of first use. */
export interface Wanted {
  readonly ids: ReadonlySet<string>;
  /** Keys of users. */
  readonly keys: ReadonlySet<string>;
}

/**
 * Collects everything that documents refer to, also through documents found so far.
 *
 * @throws `expand.limit`
 */
export function createWanted(targetsOf: TargetsOf, found: ReadonlyMap<string, DocumentRecord | null>) {
  return (rows: readonly DocumentRecord[], references: readonly Reference[]): Wanted => {
    const [ids, keys] = [new Set<string>(), new Set<string>()];
    const followed = new Map<Reference, Set<string>>();

    function refuseMany(): void {
      if (ids.size + keys.size <= MAX_EXPANDED) return;
      throw expandLimit(`the rows refer to more than ${MAX_EXPANDED} different documents and profiles`);
    }

    function follow(id: string, reference: Reference): void {
      const before = followed.get(reference) ?? new Set<string>();
      if (before.has(id)) return;
      followed.set(reference, before.add(id));
      ids.add(id);
      refuseMany();
      const document = found.get(id);
      if (document && reference.inner.length > 0) add(document, reference.inner);
    }

    function addOne({ reference, target }: Referring): void {
      if (target.kind === 'profile') keys.add(target.key);
      else for (const id of target.ids) follow(id, reference);
      refuseMany();
    }

    function add(document: DocumentRecord, from: readonly Reference[]): void {
      for (const referring of targetsOf(document, from)) addOne(referring);
    }

    for (const row of rows) add(row, references);
    return { ids, keys };
  };
}
