import {
  groupPrincipal,
  isKeeping,
  KEPT_KEYS,
  REMOVED_KEYS,
  REMOVED_NAME,
  removedUserName,
  userPrincipal,
} from '@baobab/core';
import {
  documentsInRange,
  forgetAudience,
  recordLostFollowers,
  recordRemovals,
  removalsInRange,
} from '../changes/feed-records.ts';
import { byCollection, type PlacedId, removeReceivedGrants } from '../documents/received-grants.ts';
import { leaveFiles } from '../files/document-files.ts';
import { leaveGroups } from '../groups/groups.ts';
import type { SqlExecutor } from '../statements/executor.ts';
import { isThere, withRowLock } from '../statements/fragments.ts';
import {
  firstWithin,
  type Granted,
  type Kind,
  kind,
  type Part,
  type Removals,
  removeFirst,
} from '../statements/removal-parts.ts';
import { onCopies, type Sql } from '../statements/statement.ts';

const REMOVE = onCopies('delete from users where id = ?1');

/** ?1 user, ?2 new name, ?3 new key */
const HIDE = onCopies(`update users set name = ?2, name_key = ?3, skeleton = ?3, status = 'SUSPENDED',
  password_hash = null, second_factor = null, guest_seen = null, erase_at = null, visible_user = '{}', visible_friend = '{}',
  visible_registered = '{}', visible_anonymous = '{}' where id = ?1`);
/** Devices before sessions, in the order in which logins lock them, to avoid deadlocks. */
const REMOVE_ACCESS: readonly Sql[] = [
  'devices',
  'sessions',
  'former_names',
  'totp_secrets',
  'recovery_codes',
  'login_challenges',
  'reset_tokens',
  'email_claims',
  'verified_emails',
  'mails',
  'group_members',
  'group_invitations',
  'removed_members',
]
  .map((table): Sql => `delete from ${table} where user_id = ?1`)
  .concat(
    'delete from api_keys where owner = ?1',
    onCopies('delete from passkeys where user_id = ?1'),
    onCopies('delete from social_links where user_id = ?1'),
  );

/**
 * Locks the user. Rows that reference the user need a share of this lock, so none are added while a part is removed,
 * and the removal of parts by several nodes is serialized.
 */
const LOCK_REMOVED = withRowLock('update', (lock) =>
  onCopies(
    `select name_key from users where id = ?1 and name = '${REMOVED_NAME}' and name_key < '${KEPT_KEYS}'${lock}`,
  ),
);
const LOCK = withRowLock('update', (lock) => onCopies(`select id from users where id = ?1 and ${isThere()}${lock}`));

const FOLLOWERS = kind('follows', 'followed', ['follower']);
const REMOVE_FOLLOWERS = onCopies(`${FOLLOWERS.remove} returning follower as id`);
const FOLLOWING = kind('follows', 'follower', ['followed']);
const OWN: readonly Kind[] = [
  { ...FOLLOWING, remove: onCopies(FOLLOWING.remove) },
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

/** Condition that a document or file is shared with a group. */
const isShared = (grants: string, on: string) =>
  `exists (select 1 from ${grants} k where ${on} and k.principal >= '${groupPrincipal('')}'
    and k.principal < '${groupPrincipal('~')}')`;
const SHARED_DOCUMENT = isShared(
  'document_grants',
  'k.collection = documents.collection and k.document = documents.id',
);
const SHARED_FILE = isShared('file_grants', 'k.file = files.id');

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

/** @param but further condition on the documents */
function documentsPart(but: string): Part {
  /** ?1 author, ?2 limit */
  const first = `select collection, id from documents where author between ?1 and ?1${but}
    order by author, collection, id limit ?2`;
  const found = documentsInRange(but);
  /** Documents of one collection, so that a distributed database needs one node. Parameters as in `found`. */
  const those = `author = ?1 and collection = ?2 and id between ?3 and ?4${but}`;
  const grantsOn = `select d.id, count(*) as n from ${found} d join document_grants g
    on g.collection = d.collection and g.document = d.id where g.collection = ?2 group by d.id`;
  const lock = `select id from documents where ${those} order by id for update`;
  const removals = removalsInRange(but);
  return async (transaction, author, limit) => {
    const page = await transaction.read<PlacedId>(first, [author, limit]);
    let left = limit;
    for (const [collection, ids] of byCollection(page)) {
      if (left <= 0) break;
      const rangeTo = (count: number) => [author, collection, ids[0] ?? '', ids[count - 1] ?? '', count];
      const counted = await transaction.read<Granted>(grantsOn, rangeTo(ids.length));
      const grants = new Map(counted.map(({ id, n }) => [id, n]));
      const { count, rows } = firstWithin(
        ids.map((id) => grants.get(id) ?? 0),
        left,
      );
      const range = rangeTo(count);
      if (!transaction.isLocal) await transaction.read(lock, range);
      await recordRemovals(transaction, removals, range);
      await leaveFiles(transaction, ids.slice(0, count));
      await transaction.change(`delete from documents where ${those}`, range);
      left -= rows;
    }
    return page.length > 0;
  };
}

/** @param but further condition on the files */
function filesPart(but: string): Part {
  /** ?1 author, ?2 limit */
  const first = `select files.id, (select count(*) from file_grants g where g.file = files.id) as n from files
    where files.author between ?1 and ?1${but} order by files.author, files.id limit ?2`;
  const remove = `delete from files where author = ?1 and id <= ?2${but}`;
  return async (transaction, author, limit) => {
    const page = await transaction.read<Granted>(first, [author, limit]);
    if (page.length === 0) return false;
    const grants = page.map(({ n }) => n);
    await transaction.change(remove, [author, page[firstWithin(grants, limit).count - 1]?.id ?? '']);
    return true;
  };
}

/** Each call removes rows of the first kind that still has rows. */
const partsWith = (removeDocuments: Part, removeFiles: Part): readonly Part[] => [
  removeFollowers,
  removeDocuments,
  removeFiles,
  (transaction, id, limit) => removeReceivedGrants(transaction, userPrincipal(id), limit),
  removeFirst(RECORDS, userPrincipal),
  ...OWN.map((one) => removeFirst(one)),
];
const ALL_PARTS = partsWith(documentsPart(''), filesPart(''));
const UNSHARED_PARTS = partsWith(documentsPart(` and not ${SHARED_DOCUMENT}`), filesPart(` and not ${SHARED_FILE}`));

const REMOVED_GROUPS = 'select id from removed_groups limit 1';
const REST = 'select id from documents where author = ?1 union all select id from files where author = ?1 limit 1';
const KEEP = onCopies('update users set name_key = ?2, skeleton = ?2, created = 0 where id = ?1');

/** Ends the removal of a user, of whom the hidden row stays if they have shared documents or files. */
async function finish(transaction: SqlExecutor, id: string): Promise<void> {
  if ((await transaction.read(REST, [id])).length > 0) {
    await transaction.change(KEEP, [id, `${KEPT_KEYS}${id}`]);
    return;
  }
  await leaveGroups(transaction, id);
  await forgetAudience(transaction, userPrincipal(id));
  await transaction.change(REMOVE, [id]);
}

async function hide(transaction: SqlExecutor, id: string, keepsShared: boolean): Promise<void> {
  await leaveGroups(transaction, id);
  const { name, key } = removedUserName(id, keepsShared);
  await transaction.change(HIDE, [id, name, key]);
  for (const remove of REMOVE_ACCESS) await transaction.change(remove, [id]);
}

/** Begins the removal of a user. Returns false if there is none. */
export const removeUser = (executor: SqlExecutor, id: string, keepsShared = false): Promise<boolean> =>
  executor.atomic(async (transaction) => {
    // First, because a user is locked before their groups.
    if ((await transaction.read(LOCK(transaction), [id])).length === 0) return false;
    await hide(transaction, id, keepsShared);
    return true;
  });

export const USER_REMOVALS: Removals = {
  begun: `select id from users where name_key >= '${REMOVED_KEYS}' and name_key < '${KEPT_KEYS}'
    order by name_key limit ?1`,
  async removePart(transaction, id, limit) {
    const [locked] = await transaction.read<{ name_key: string }>(LOCK_REMOVED(transaction), [id]);
    if (locked === undefined) return false;
    const keepsShared = isKeeping(locked.name_key);
    // Grants to groups that are being removed share nothing.
    if (keepsShared && (await transaction.read(REMOVED_GROUPS, [])).length > 0) return true;
    const parts = keepsShared ? UNSHARED_PARTS : ALL_PARTS;
    for (const remove of parts) if (await remove(transaction, id, limit)) return true;
    await finish(transaction, id);
    return false;
  },
};
