import {
  AppError,
  type ListedUser,
  MAX_RESERVED_NAMES,
  type NameReservation,
  type ProfileScope,
  REMOVED_NAME,
  seenBy,
  type UserName,
  type UserRecord,
  type UserSelection,
  type UserSet,
  type UserStore,
  userResolver,
  userSortValues,
} from '@baobab/core';
import { hasSecondFactor } from './credentials.ts';
import { groupIdsOf } from './groups.ts';
import { found, type ObjectView, orderBy, pageOf, summaryOf, within } from './lists.ts';
import type { FormerNameRow, State, UserRow } from './state.ts';
import type { Immediate } from './tables.ts';
import { createUserRemoval } from './user-removal.ts';

function toRecord(user: UserRow): UserRecord {
  const { id, name, role, status, generated, created, emailVerified, guest, sections } = user;
  return { id, name, role, status, generated, created, emailVerified, guest, sections };
}

const viewFor = (profileScope: ProfileScope): ObjectView<ListedUser> => ({
  resolve: (user) => userResolver(seenBy(profileScope, user)),
  order: orderBy((keys, user) => userSortValues(keys, seenBy(profileScope, user))),
  texts: ({ sections }) => Object.values(sections),
});

export function createUserStore(state: State): Immediate<UserStore> {
  const { users, formerNames, roles, follows, followRequests, blocks, passkeys, socialLinks } = state;
  const byKey = (key: string) => users.first({ key });

  /** Returns the user with this id, unless their removal has begun. */
  function byId(id: string): UserRow | null {
    const user = users.get(id);
    return user?.name === REMOVED_NAME ? null : user;
  }

  /** Returns the ids of the users with this name or one that looks like it. */
  function holders({ key, skeleton, isPlain }: UserName): string[] {
    const alike = users.where({ skeleton }).filter((user) => !(isPlain && user.isPlain));
    return [...users.where({ key }), ...alike].map(({ id }) => id);
  }

  /** Returns the ids of the users for whom this name, or one that looks like it, is reserved. */
  function awaiters({ key, skeleton, isPlain }: UserName, now: number): string[] {
    const isAlike = (row: FormerNameRow) => row.key === key || (row.skeleton === skeleton && !(isPlain && row.isPlain));
    return formerNames.where((row) => row.expires > now && isAlike(row)).map(({ userId }) => userId);
  }

  const takers = (name: UserName, now: number) => [...holders(name), ...awaiters(name, now)];

  function reserve({ id, key, skeleton, isPlain }: UserRow, { now, reservedUntil }: NameReservation): void {
    if (reservedUntil > now) formerNames.set({ key, skeleton, isPlain, userId: id, expires: reservedUntil });
    const oldest = formerNames.where({ userId: id }).sort((a, b) => b.expires - a.expires);
    for (const row of oldest.slice(MAX_RESERVED_NAMES)) formerNames.delete(row.key);
  }

  function toListed(user: UserRow, viewer: string | null): ListedUser {
    const isFollowed = viewer !== null && follows.has(viewer, user.id);
    return { ...toRecord(user), isFollowed, key: user.key };
  }

  /** Returns a test for users who do not block the viewer. */
  const isVisible = (viewer: string | null) => (id: string) => viewer === null || !blocks.has(id, viewer);

  const visible = (keys: readonly string[], viewer: string | null) =>
    keys.flatMap((key) => byKey(key) ?? []).filter(({ id }) => isVisible(viewer)(id));

  function idsIn(userSet: Exclude<UserSet, { readonly kind: 'all' }>): string[] {
    switch (userSet.kind) {
      case 'following':
        return follows.where({ follower: userSet.of }).map(({ followed }) => followed);
      case 'followers':
        return follows.where({ followed: userSet.of }).map(({ follower }) => follower);
      case 'requests':
        return followRequests.where({ followed: userSet.of }).map(({ follower }) => follower);
      case 'blocked':
        return blocks.where({ blocker: userSet.of }).map(({ blocked }) => blocked);
    }
  }

  function listed({ userSet, profileScope, without }: UserSelection): ListedUser[] {
    const { viewer, everything } = profileScope;
    const all = userSet.kind === 'all' ? users.all() : idsIn(userSet).flatMap((id) => users.get(id) ?? []);
    return all
      .filter((user) => user.key !== without && user.name !== REMOVED_NAME)
      .filter(({ id }) => isVisible(everything ? null : viewer)(id))
      .map((user) => toListed(user, viewer));
  }

  function requireRole(name: string): void {
    if (roles.get(name.toLowerCase())?.name !== name) throw new AppError('role.not_found');
  }

  const isDue = ({ eraseAt }: UserRow, now: number) => eraseAt !== null && eraseAt <= now;

  function isAbsent({ id: userId, guest, guestSeen, passwordHash }: UserRow, moment: number): boolean {
    if (!guest || guestSeen >= moment || passwordHash !== null) return false;
    return passkeys.first({ userId }) === null && socialLinks.first({ userId }) === null;
  }

  return {
    add(user) {
      if (takers(user, user.created).length > 0) return false;
      requireRole(user.role);
      const unset = { eraseAt: null, emailChanged: null, guestSeen: user.created };
      users.set({ ...user, sections: { ...user.sections }, ...unset });
      return true;
    },
    isTaken(name, viewer, now) {
      const others = awaiters(name, now).filter((id) => id !== viewer);
      return [...holders(name), ...others].some(isVisible(viewer));
    },
    find(id) {
      const user = byId(id);
      return user && toRecord(user);
    },
    findByKey(key) {
      const user = byKey(key);
      return user && toRecord(user);
    },
    ofRole: (role, limit) =>
      users
        .where({ role })
        .filter(({ name }) => name !== REMOVED_NAME)
        .map(toRecord)
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit),
    view(key, viewer) {
      const [user] = visible([key], viewer);
      if (user === undefined) return null;
      const { key: _key, ...viewed } = toListed(user, viewer);
      return viewed;
    },
    lookUp({ keys, viewer, maxBytes }) {
      const found = visible(keys, viewer).map((user) => toListed(user, viewer));
      return within(found, maxBytes, ({ sections }) => Object.values(sections));
    },
    identify: (keys, viewer) => new Map(visible(keys, viewer).map(({ key, id }) => [key, id])),
    credentials(key, emailKey = null) {
      const owner = emailKey === null ? null : state.verifiedEmails.get(emailKey);
      const user = byKey(key) ?? (owner && users.get(owner.userId));
      if (user === null) return null;
      const { id, name, role, status, passwordHash, awaitsEmail } = user;
      const identity = { id, name, role, status, groups: groupIdsOf(state, id) };
      return { ...identity, passwordHash, awaitsEmail, hasSecondFactor: hasSecondFactor(state, id) };
    },
    update(id, { sections, guest, ...change }) {
      const user = byId(id);
      if (user === null) return null;
      if (change.role !== undefined) requireRole(change.role);
      const isPermanent = guest === false || change.passwordHash !== undefined;
      const changed = {
        ...user,
        ...change,
        ...(change.status === 'ACTIVE' && { eraseAt: null }),
        ...(isPermanent && { guest: false }),
        sections: { ...user.sections, ...sections },
      };
      users.set(changed);
      return toRecord(changed);
    },
    rename(id, { name, key, skeleton, isPlain }, reservation) {
      const user = byId(id);
      if (user === null) return null;
      if (takers({ name, key, skeleton, isPlain }, reservation.now).some((taker) => taker !== id)) return false;
      users.set({ ...user, name, key, skeleton, isPlain, generated: false });
      if (user.key === key) return true;
      formerNames.delete(key);
      reserve(user, reservation);
      return true;
    },
    seen: (id, at) => void users.update(id, ({ guestSeen }) => ({ guestSeen: Math.max(at, guestSeen) })),
    absentGuests: (moment, limit) => users.where((user) => isAbsent(user, moment), limit).map(({ id }) => id),
    list: (list) => pageOf(listed(list), list, viewFor(list.profileScope)),
    count: (selection) => found(listed(selection), selection.where, viewFor(selection.profileScope)).length,
    summarize: (summary) => summaryOf(listed(summary), summary, viewFor(summary.profileScope)),
    belongings(id, most) {
      const counted = (rows: readonly unknown[]) => Math.min(rows.length, most);
      return {
        documents: counted(state.documents.where({ authorId: id })),
        files: counted(state.files.where({ authorId: id })),
        sessions: counted(state.sessions.where({ userId: id })),
        followers: counted(follows.where({ followed: id })),
        following: counted(follows.where({ follower: id })),
      };
    },
    // No locks are needed: transactions run sequentially.
    lockAbsentGuest: (id, moment) => users.where({ id }).some((user) => isAbsent(user, moment)),
    dueErasures(now, limit) {
      const due = users.where((user) => isDue(user, now));
      const earliest = due.sort((a, b) => (a.eraseAt ?? 0) - (b.eraseAt ?? 0)).slice(0, limit);
      return earliest.map(({ id }) => id);
    },
    lockDueErasure: (id, now) => users.where({ id }).some((user) => isDue(user, now)),
    remove: createUserRemoval(state).remove,
  };
}
