import type { AccessScope } from '../access.ts';
import { allows, EVERYTHING } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { CollectionPolicy } from '../collections/policies.ts';
import type { Path } from '../criteria/syntax.ts';
import { haveValues, uniqueValues } from '../criteria/unique-values.ts';
import { AppError, isAppError } from '../errors.ts';
import { contentPointer } from '../json-pointer.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** A write of a document. */
export interface UniqueWrite {
  readonly actor: Actor;
  /** Documents are not changed by their id alone. */
  readonly collection: string | null;
  /** Null for a new document with an id of the server. */
  readonly id: string | null;
  /** Resolves to the content that the write would store; null if it will be refused for another reason. */
  content(): Promise<string | null>;
}

/** A write in a transaction, which no rule has refused. */
interface AllowedWrite {
  readonly stores: Pick<Stores, 'documents'>;
  /** Permissions of the caller in the collection. */
  readonly held: AccessScope;
  /** Content to be stored. */
  readonly content: string;
}

/**
 * Checks a write before it is stored. To be called after the rules, so that callers whom they refuse learn no values.
 *
 * @param allowed null for a write without a transaction
 * @throws `document.duplicate`
 */
export type VerifyUnique = (allowed: AllowedWrite | null) => Promise<void>;

interface StoredAddress {
  readonly collection: string;
  readonly id: string;
}

interface UniqueDeps {
  readonly storage: Stores;
  readonly scope: (actor: Actor, where: { readonly collection: string }) => Promise<AccessScope>;
}

export type UniqueCheck = ReturnType<typeof createUniqueCheck>;

/** Creates the check of unique values. The storage enforces them; this finds the other document for the error. */
export function createUniqueCheck({ storage, scope }: UniqueDeps) {
  async function refuse(
    { documents }: Pick<Stores, 'documents'>,
    held: AccessScope,
    { collection, id }: StoredAddress,
    paths: readonly Path[],
  ): Promise<never> {
    const found = await documents.find({ collection, id }, held);
    const isReadable = found !== null && allows(found.rights, 'read');
    const message = 'another document has the same value';
    throw new AppError('document.duplicate', {
      problems: paths.map((path) => ({ path: contentPointer(path), message })),
      ...(isReadable && { beside: { id } }),
    });
  }

  /** Returns a write without a transaction; null if it will be refused. */
  async function apart({ actor, collection, content }: UniqueWrite): Promise<AllowedWrite | null> {
    const text = collection === null ? null : await content();
    if (collection === null || text === null) return null;
    return { stores: storage, held: await scope(actor, { collection }), content: text };
  }

  async function check(write: UniqueWrite, { unique }: CollectionPolicy, given: AllowedWrite | null): Promise<void> {
    const { id: own, collection } = write;
    const allowed = given ?? (await apart(write));
    if (collection === null || allowed === null) return;
    const { stores, held, content } = allowed;
    for (const paths of unique) {
      const values = uniqueValues(content, paths);
      if (values === null) continue;
      const list = {
        where: haveValues(paths, values),
        order: [],
        after: null,
        skip: 0,
        limit: 2,
        isCurrent: true,
      } as const;
      const found = await stores.documents.list({ ...list, collection, scope: EVERYTHING });
      const other = found?.find(({ id }) => id !== own);
      if (other !== undefined) await refuse(stores, held, { collection, id: other.id }, paths);
    }
  }

  /**
   * Runs a write, which calls its argument before it stores anything.
   *
   * @param policy null without one
   * @throws `document.duplicate`
   */
  return async function unique<T>(
    policy: CollectionPolicy | null,
    write: UniqueWrite,
    run: (verify: VerifyUnique) => Promise<T>,
  ): Promise<T> {
    if (policy === null || policy.unique.length === 0) return run(async () => undefined);
    try {
      return await run((allowed) => check(write, policy, allowed));
    } catch (error) {
      const isFromStore = isAppError(error) && error.code === 'document.duplicate' && error.problems.length === 0;
      if (!isFromStore) throw error;
      // Another request was faster. In a transaction, which then runs again, nothing more can be read.
      await check(write, policy, null).catch((again) => {
        throw isAppError(again) && again.code === error.code ? again : error;
      });
      throw error;
    }
  };
}
