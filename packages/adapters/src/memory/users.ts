import {
  AppError,
  type ListedUser,
  type NewUser,
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
  type ViewedUser,
} from '@baobab/core';
import { hasSecondFactor } from './factors.ts';
import { groupIdsOf } from './groups.ts';
import { found, type ObjectView, pageOf, summaryOf, within } from './searches.ts';
import { followKey, type State, type UserRow } from './state.ts';
import { createUserRemoval } from './user-removal.ts';

function toRecord({
  key: _key,
  skeleton: _skeleton,
  isPlain: _isPlain,
  passwordHash: _hash,
  awaitsEmail: _awaitsEmail,
  guestSeen: _seen,
  emailChanged: _changed,
  ...record
}: UserRow): UserRecord {
  return { ...record, sections: { ...record.sections } };
}

const looksOf = (profileScope: ProfileScope): ObjectView<ListedUser> => ({
  resolve: (user) => userResolver(seenBy(profileScope, user)),
  keys: (order, user) => userSortValues(order, seenBy(profileScope, user)),
  texts: ({ sections }) => Object.values(sections),
});

export function createUserStore(state: State): UserStore {
  const byKey = (key: string) => state.users.where('key', key)[0];

  /** Returns the user with this id, unless their removal has begun. */
  function byId(id: string): UserRow | undefined {
    const user = state.users.get(id);
    return user?.name === REMOVED_NAME ? undefined : user;
  }

  /** Returns the users with this name or one that looks like it. */
  function takers({ key, skeleton, isPlain }: UserName): NewUser[] {
    const alike = state.users.where('skeleton', skeleton).filter((user) => !(isPlain && user.isPlain));
    return [...state.users.where('key', key), ...alike];
  }

  function toViewed(user: NewUser, viewer: string | null): ViewedUser {
    const isFollowed = viewer !== null && state.follows.get(followKey(viewer, user.id)) !== undefined;
    return { ...toRecord(user), isFollowed };
  }

  const blocks = (blocker: string, viewer: string | null) =>
    viewer !== null && state.blocks.get(followKey(blocker, viewer)) !== undefined;

  function idsOf(userSet: Exclude<UserSet, { readonly kind: 'all' }>): string[] {
    switch (userSet.kind) {
      case 'following':
        return state.follows.where('follower', userSet.of).map(({ followed }) => followed);
      case 'followers':
        return state.follows.where('followed', userSet.of).map(({ follower }) => follower);
      case 'requests':
        return state.followRequests.where('followed', userSet.of).map(({ follower }) => follower);
      case 'blocked':
        return state.blocks.where('blocker', userSet.of).map(({ blocked }) => blocked);
    }
  }

  const userSetOf = (userSet: UserSet): NewUser[] =>
    userSet.kind === 'all' ? state.users.values() : idsOf(userSet).flatMap((id) => state.users.get(id) ?? []);

  function listed({ userSet, profileScope, without }: UserSelection): ListedUser[] {
    return userSetOf(userSet)
      .filter((user) => user.key !== without && user.name !== REMOVED_NAME)
      .filter(({ id }) => profileScope.everything || !blocks(id, profileScope.viewer))
      .map((user) => ({ ...toViewed(user, profileScope.viewer), key: user.key }));
  }

  function isRole(name: string): boolean {
    return state.roles.get(name.toLowerCase())?.name === name;
  }

  function isAbsent(user: UserRow, moment: number): boolean {
    if (!user.guest || (user.guestSeen ?? 0) >= moment || user.passwordHash !== null) return false;
    return state.passkeys.where('user', user.id).length + state.socialLinks.where('user', user.id).length === 0;
  }

  return {
    async add(user) {
      if (takers(user).length > 0) return false;
      if (!isRole(user.role)) throw new AppError('role.not_found');
      state.users.set({ ...user, sections: { ...user.sections }, ...(user.guest && { guestSeen: user.created }) });
      return true;
    },
    async isTaken(name, viewer) {
      return takers(name).some(({ id }) => !blocks(id, viewer));
    },
    async find(id) {
      const user = byId(id);
      return user === undefined ? null : toRecord(user);
    },
    async findByKey(key) {
      const user = byKey(key);
      return user === undefined ? null : toRecord(user);
    },
    async view(key, viewer) {
      const user = byKey(key);
      return user === undefined || blocks(user.id, viewer) ? null : toViewed(user, viewer);
    },
    async lookUp({ keys, viewer, maxBytes }) {
      const users = keys
        .flatMap((key) => byKey(key) ?? [])
        .filter(({ id }) => !blocks(id, viewer))
        .map((user) => ({ ...toViewed(user, viewer), key: user.key }));
      return within(users, maxBytes, ({ sections }) => Object.values(sections));
    },
    async identify(keys, viewer) {
      const found = keys.flatMap((key) => byKey(key) ?? []).filter(({ id }) => !blocks(id, viewer));
      return new Map(found.map(({ key, id }) => [key, id]));
    },
    async credentials(key, emailKey = null) {
      const owner = emailKey === null ? undefined : state.verifiedEmails.get(emailKey)?.userId;
      const user = byKey(key) ?? (owner === undefined ? undefined : state.users.get(owner));
      if (user === undefined) return null;
      const { id, name, role, status, passwordHash, awaitsEmail } = user;
      const [groups, isProtected] = [groupIdsOf(state, id), hasSecondFactor(state, id)];
      return { id, name, role, status, passwordHash, groups, hasSecondFactor: isProtected, awaitsEmail };
    },
    async update(id, { sections, guest, ...change }) {
      const user = byId(id);
      if (user === undefined) return null;
      if (change.role !== undefined && !isRole(change.role)) throw new AppError('role.not_found');
      const isPermanent = guest === false || change.passwordHash !== undefined;
      const kept = isPermanent ? { guest: false } : {};
      const changed = { ...user, ...change, ...kept, sections: { ...user.sections, ...sections } };
      state.users.set(changed);
      return toRecord(changed);
    },
    async rename(id, { name, key, skeleton, isPlain }) {
      const user = byId(id);
      if (user === undefined) return null;
      if (takers({ name, key, skeleton, isPlain }).some((other) => other.id !== id)) return false;
      state.users.set({ ...user, name, key, skeleton, isPlain, generated: false });
      return true;
    },
    async seen(id, at) {
      const user = state.users.get(id);
      if (user?.guest && (user.guestSeen ?? 0) < at) state.users.set({ ...user, guestSeen: at });
    },
    async absentGuests(moment, limit) {
      const absent = state.users.values().filter((user) => isAbsent(user, moment));
      return absent.slice(0, limit).map(({ id }) => id);
    },
    async list(list) {
      return pageOf(listed(list), list, looksOf(list.profileScope));
    },
    async count(selection) {
      return found(listed(selection), selection.where, looksOf(selection.profileScope)).length;
    },
    async summarize(summary) {
      return summaryOf(listed(summary), summary, looksOf(summary.profileScope));
    },
    async belongings(id, most) {
      const counted = (rows: readonly unknown[]) => Math.min(rows.length, most);
      return {
        documents: counted(state.documents.where('author', id)),
        files: counted(state.files.where('author', id)),
        sessions: counted(state.sessions.where('user', id)),
        followers: counted(state.follows.where('followed', id)),
        following: counted(state.follows.where('follower', id)),
      };
    },
    async lockAbsentGuest(id, moment) {
      const user = state.users.get(id); // transactions run sequentially
      return user !== undefined && isAbsent(user, moment);
    },
    ...createUserRemoval(state),
  };
}
