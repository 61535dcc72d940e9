import { REMOVED_KEYS, REMOVED_NAME, removedUserName, type UserStore, userPrincipal } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';
import { DOCUMENTS_IN_RANGE, recordLostFollowers, recordRemovalOfUser, recordRemovals } from './feed-records.ts';
import { leaveGroups } from './groups.ts';
import { isThere } from './is-there.ts';
import { byCollection, type PlacedId, removeGrantsOnDocuments, removeGrantsOnFiles } from './received-grants.ts';
import { firstWithin, type Granted, kind, type Part, removeFirst } from './removal-parts.ts';
import { withRowLock } from './row-lock.ts';

const REMOVE_GRANTS = ['document_grants', 'file_grants'].map((table) => `delete from ${table} where principal = ?1`);
const REMOVE = 'delete from users where id = ?1';

/** Rows that `weigh` counts, each from an index. ?1 user, ?2 limit, ?3 user as a principal */
const WEIGHED = {
  documents: 'documents where author = ?1',
  grants: `(select collection, id from documents where author = ?1 limit ?2) d
    join document_grants g on g.collection = d.collection and g.document = d.id`,
  received: 'document_grants where principal = ?3',
  files: 'files where author = ?1',
  file_grants: '(select id from files where author = ?1 limit ?2) f join file_grants g on g.file = f.id',
  received_files: 'file_grants where principal = ?3',
  followers: 'follows where followed = ?1',
  following: 'follows where follower = ?1',
  requested: 'follow_requests where followed = ?1',
  requests: 'follow_requests where follower = ?1',
  blockers: 'blocks where blocked = ?1',
  blocked: 'blocks where blocker = ?1',
  invitations: 'group_invitations where invited_by = ?1',
  codes: 'invitation_codes where invited_by = ?1',
  assets: 'assets where author = ?1',
  answers: 'idempotency_keys where user_id = ?1',
  changes: 'access_changes where audience = ?3',
} as const;
const WEIGH = `select ${Object.entries(WEIGHED)
  .map(([name, rows]) => `(select count(*) from (select 1 from ${rows} limit ?2) of_user) as ${name}`)
  .join(', ')}`;

/** ?1 user, ?2 new name, ?3 new key */
const HIDE = `update users set name = ?2, name_key = ?3, skeleton = ?3, status = 'SUSPENDED',
  password_hash = null, second_factor = null, guest_seen = null, visible_user = '{}', visible_friend = '{}',
  visible_registered = '{}', visible_anonymous = '{}' where id = ?1 and ${isThere()}`;
/** Devices before sessions, in the order in which logins lock them, to avoid deadlocks. */
const REMOVE_ACCESS = [
  'devices',
  'sessions',
  'passkeys',
  'social_links',
  'totp_secrets',
  'recovery_codes',
  'login_challenges',
  'reset_tokens',
  'email_claims',
  'verified_emails',
  'mails',
  'group_members',
  'group_invitations',
]
  .map((table) => `delete from ${table} where user_id = ?1`)
  .concat('delete from server_keys where owner = ?1');

/**
 * Locks the user. Rows that reference the user need a share of this lock, so none are added while a part is removed,
 * and the removal of parts by several nodes is serialized.
 */
const LOCK_REMOVED = withRowLock(
  'update',
  (lock) => `select id from users where id = ?1 and name = '${REMOVED_NAME}'${lock}`,
);
const BEGUN = 'select id from users where name_key >= ?1 order by name_key limit ?2';

const FOLLOWERS = kind('follows', 'followed', ['follower']);
const REMOVE_FOLLOWERS = `${FOLLOWERS.remove} returning follower as id`;
const OWN = [
  kind('follows', 'follower', ['followed']),
  kind('follow_requests', 'follower', ['followed']),
  kind('follow_requests', 'followed', ['follower']),
  kind('blocks', 'blocker', ['blocked']),
  kind('blocks', 'blocked', ['blocker']),
  kind('group_invitations', 'invited_by', ['user_id', 'group_id']),
  kind('invitation_codes', 'invited_by', ['id']),
  kind('idempotency_keys', 'user_id', ['digest']),
  kind('assets', 'author', ['id'], 'update assets set author = null'),
];
/** Records of changed access. Their owner is the user as a principal. */
const RECORDS = kind('access_changes', 'audience', ['position', 'document']);

/** ?1 author, ?2 limit */
const DOCUMENTS = `select collection, id from documents where author between ?1 and ?1
  order by author, collection, id limit ?2`;
/** Documents of one collection, so that a distributed database needs one node. Parameters as in DOCUMENTS_IN_RANGE. */
const THOSE = 'author = ?1 and collection = ?2 and id between ?3 and ?4';
const GRANTS_ON_DOCUMENTS = `select d.id, count(*) as n from ${DOCUMENTS_IN_RANGE} d
  join document_grants g on g.collection = d.collection and g.document = d.id where g.collection = ?2 group by d.id`;
const LOCK_DOCUMENTS = `select id from documents where ${THOSE} order by id for update`;
const REMOVE_DOCUMENTS = `delete from documents where ${THOSE}`;
/** ?1 author, ?2 limit */
const FILES = `select f.id, (select count(*) from file_grants g where g.file = f.id) as n from files f
  where f.author between ?1 and ?1 order by f.author, f.id limit ?2`;
const REMOVE_FILES = 'delete from files where author = ?1 and id <= ?2';

const removeFollowers: Part = async (transaction, userId, limit) => {
  const row = await transaction.readOne<{ follower: string }>(FOLLOWERS.last, [userId, limit]);
  if (row === null) return false;
  const followers = await transaction.write<{ id: string }>(REMOVE_FOLLOWERS, [userId, row.follower]);
  await recordLostFollowers(
    transaction,
    followers.map(({ id }) => id),
  );
  return true;
};

const removeDocuments: Part = async (transaction, author, limit) => {
  const page = await transaction.read<PlacedId>(DOCUMENTS, [author, limit]);
  let left = limit;
  for (const [collection, ids] of byCollection(page)) {
    if (left <= 0) break;
    const rangeTo = (count: number) => [author, collection, ids[0] ?? '', ids[count - 1] ?? '', count];
    const counted = await transaction.read<Granted>(GRANTS_ON_DOCUMENTS, rangeTo(ids.length));
    const grants = new Map(counted.map(({ id, n }) => [id, n]));
    const { count, rows } = firstWithin(
      ids.map((id) => grants.get(id) ?? 0),
      left,
    );
    const range = rangeTo(count);
    if (!transaction.takesTurns) await transaction.read(LOCK_DOCUMENTS, range);
    await recordRemovals(transaction, range);
    await transaction.change(REMOVE_DOCUMENTS, range);
    left -= rows;
  }
  return page.length > 0;
};

const removeFiles: Part = async (transaction, author, limit) => {
  const page = await transaction.read<Granted>(FILES, [author, limit]);
  if (page.length === 0) return false;
  const grants = page.map(({ n }) => n);
  await transaction.change(REMOVE_FILES, [author, page[firstWithin(grants, limit).count - 1]?.id ?? '']);
  return true;
};

const removeReceivedGrants: Part = async (transaction, userId, limit) => {
  const received = { principal: userPrincipal(userId), limit };
  const last =
    (await removeGrantsOnDocuments(transaction, received)) ?? (await removeGrantsOnFiles(transaction, received));
  return last !== null;
};

/** Each call removes rows of the first kind that has any. */
const PARTS: readonly Part[] = [
  removeFollowers,
  removeDocuments,
  removeFiles,
  removeReceivedGrants,
  removeFirst(RECORDS, userPrincipal),
  ...OWN.map((one) => removeFirst(one)),
];

async function removeUser(transaction: SqlExecutor, id: string): Promise<boolean> {
  await leaveGroups(transaction, id);
  await recordRemovalOfUser(transaction, id);
  for (const remove of REMOVE_GRANTS) await transaction.change(remove, [userPrincipal(id)]);
  return (await transaction.change(REMOVE, [id])) === 1;
}

type RemovalMethods = 'weigh' | 'remove' | 'beginRemoval' | 'removePart' | 'removalsBegun';

export function createUserRemoval(executor: SqlExecutor): Pick<UserStore, RemovalMethods> {
  return {
    async weigh(id, most) {
      const counts = await executor.readOne<Record<string, number>>(WEIGH, [id, most, userPrincipal(id)]);
      const sum = Object.values(counts ?? {}).reduce((total, n) => total + n, 0);
      return Math.min(sum, most);
    },
    remove: (id) => executor.atomic((transaction) => removeUser(transaction, id)),
    beginRemoval: (id) =>
      executor.atomic(async (transaction) => {
        // First, because it locks the user before the groups.
        await leaveGroups(transaction, id);
        const { name, key } = removedUserName(id);
        if ((await transaction.change(HIDE, [id, name, key])) === 0) return false;
        for (const remove of REMOVE_ACCESS) await transaction.change(remove, [id]);
        return true;
      }),
    removePart: (id, limit) =>
      executor.atomic(async (transaction) => {
        if ((await transaction.read(LOCK_REMOVED(transaction), [id])).length === 0) return false;
        for (const remove of PARTS) if (await remove(transaction, id, limit)) return true;
        await removeUser(transaction, id);
        return false;
      }),
    async removalsBegun(limit) {
      return (await executor.read<{ id: string }>(BEGUN, [REMOVED_KEYS, limit])).map(({ id }) => id);
    },
  };
}
