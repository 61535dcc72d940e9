import { collectionKey } from '../collections/collections.ts';
import { markRuled } from '../collections/visibility.ts';
import type { ListPosition } from '../criteria/syntax.ts';
import type { Stores } from '../ports/storage/storage.ts';

/** Number of documents read at a time. */
const PAGE = 500;

/** Records the user's documents whose children go with them. Their own removal does not look for children. */
async function leaveOrphans({ collections, documents }: Stores, userId: string, keepsShared: boolean): Promise<void> {
  const stays = async (id: string) =>
    keepsShared && (await documents.grantsOn(id)).some(({ kind }) => kind === 'group');
  const own = { everything: false, owner: userId, principals: [], followed: false, ruled: 0 };
  const rules = await collections.rules();
  const hasCascade = (key: string) =>
    Array.from(rules).some(
      ([child, { parent }]) => child !== key && parent?.onDelete === 'cascade' && (parent.collection ?? key) === key,
    );
  if (!Array.from(rules.values()).some(({ parent }) => parent?.onDelete === 'cascade')) return;
  for (const key of (await collections.names()).map(collectionKey).filter(hasCascade)) {
    let after: ListPosition | null = null;
    for (let rows: readonly { readonly id: string }[] | null = null; rows === null || rows.length === PAGE; ) {
      rows =
        (await documents.list({ collection: key, scope: own, where: null, order: [], after, skip: 0, limit: PAGE })) ??
        [];
      for (const { id } of rows) if (!(await stays(id))) await documents.addOrphans({ collection: key, id });
      after = { keys: [], id: rows.at(-1)?.id ?? '' };
    }
  }
}

interface RemovalTerms {
  readonly now: number;
  /** True if documents and files that are shared with a group stay; absent: false. */
  readonly keepsShared?: boolean;
}

/**
 * Removes a user, in a transaction. `Removals` completes it afterwards. Resolves to false if there is no such user.
 */
export async function removeUser(
  stores: Stores,
  userId: string,
  { now, keepsShared = false }: RemovalTerms,
): Promise<boolean> {
  const { users, announcer } = stores;
  await leaveOrphans(stores, userId, keepsShared);
  await markRuled(stores, now);
  const isRemoved = await users.remove(userId, keepsShared);
  if (isRemoved) await announcer.announce({ topic: 'user', key: userId });
  return isRemoved;
}
