import type { SummaryRequest } from '../../criteria/summary.ts';
import type { Condition, ListPosition, OrderKey } from '../../criteria/syntax.ts';
import type { SectionName } from '../../section-names.ts';
import type { SummaryRow } from './documents.ts';

/** The part of a user that every request needs. */
export interface UserIdentity {
  /** UUID; stays the same when the user is renamed. */
  readonly id: string;
  readonly name: string;
  /** Name of the user's main role, as the role spells it. */
  readonly role: string;
}

export type UserStatus = 'ACTIVE' | 'SUSPENDED';

/** Canonical JSON text of an object for each section; `{}` when unset. */
export type Sections = Readonly<Record<SectionName, string>>;

export interface UserRecord extends UserIdentity {
  readonly status: UserStatus;
  /** Whether the service generated the name (social login, guests); such a user may choose one. */
  readonly generated: boolean;
  /** When the user signed up, milliseconds. */
  readonly created: number;
  /** Whether the user has shown that the address in `visibleByTheUser` is theirs. */
  readonly emailVerified: boolean;
  /** Whether the user is a guest: somebody who has no way to log in again, apart from the session. */
  readonly guest: boolean;
  readonly sections: Sections;
}

/** A name, and the keys by which it is compared. */
export interface UserName {
  readonly name: string;
  /** Two names with one key are the same. Unique. */
  readonly key: string;
  /** Two names with one skeleton look alike: the second is refused, unless both are plain. */
  readonly skeleton: string;
  /** Whether the key is pure ASCII: such names are not confused with each other, only with others. */
  readonly isPlain: boolean;
}

export interface NewUser extends UserRecord, UserName {
  /** `null`: the user cannot log in with a password. */
  readonly passwordHash: string | null;
  /** Whether the user must verify an e-mail address before they can log in (`EmailStore.verify`). */
  readonly awaitsEmail: boolean;
}

/** A user with what decides about their rights. */
export interface UserWithGroups extends UserIdentity {
  readonly status: UserStatus;
  /** The ids of the groups that the user is in, in no order. */
  readonly groups: readonly string[];
}

/** What a login with a password needs, in one read. */
export interface UserCredentials extends UserWithGroups {
  readonly passwordHash: string | null;
  /** Whether a login needs a second factor besides the password. */
  readonly hasSecondFactor: boolean;
  /** Whether the user must verify an e-mail address before they can log in. */
  readonly awaitsEmail: boolean;
}

/** The changes to a user; absent members stay unchanged. */
export interface UserChange {
  readonly sections?: Partial<Sections>;
  /** Name of an existing role. */
  readonly role?: string;
  readonly status?: UserStatus;
  /** Also makes a guest permanent. */
  readonly passwordHash?: string;
  /** Makes a guest permanent. */
  readonly guest?: false;
}

/** A user as a certain viewer sees them. */
export interface ViewedUser extends UserRecord {
  /** Whether the viewer follows them. */
  readonly isFollowed: boolean;
}

/** The set of users that a list shows. Users who block the viewer are in none of them. */
export type UserSet =
  | { readonly kind: 'all' }
  /** The users whom `of` follows. */
  | { readonly kind: 'following'; readonly of: string }
  /** The users who follow `of`. */
  | { readonly kind: 'followers'; readonly of: string }
  /** The users who ask to follow `of`. */
  | { readonly kind: 'requests'; readonly of: string }
  /** The users whom `of` blocks. */
  | { readonly kind: 'blocked'; readonly of: string };

/** What a viewer may see of users, beyond what is public. */
export interface ProfileScope {
  /** An id; null for anonymous viewers. */
  readonly viewer: string | null;
  /** Whether the viewer sees all users, whomever they block, and all sections. */
  readonly everything: boolean;
  /** Whether the viewer sees every user as a friend does. */
  readonly asFriend: boolean;
}

/** The users of a set for whom a condition holds, as the viewer sees them: sections that they may not read are absent. */
export interface UserSelection {
  readonly userSet: UserSet;
  readonly profileScope: ProfileScope;
  /** The key of a user to leave out. */
  readonly without: string;
  /** Null for all. */
  readonly where: Condition | null;
}

export interface UserList extends UserSelection {
  /**
   * Ties are broken by ascending id; empty for the order of the ids alone. `signUpDate` is the order of the ids,
   * `user.name` that of the keys, by code point. Without a condition the former costs one page, and so does the latter
   * in the set of all users; in other sets the latter costs as much as the set is large.
   */
  readonly order: readonly OrderKey[];
  /** Only users after this position in that order; null from the beginning. Made by `userSortValues`. */
  readonly after: ListPosition | null;
  /** The number of those users to skip. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the sections of all rows together (as UTF-8): the list ends with the row that exceeds it,
   * which is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** Groups and aggregates of users: see `DocumentSummary`. */
export interface UserSummary extends UserSelection, SummaryRequest {
  readonly skip: number;
  readonly limit: number;
  /**
   * Limit in bytes for the texts of all rows together (as UTF-8): the list ends with the row that exceeds it, which
   * is included, but not before the second row. Absent: no limit.
   */
  readonly maxBytes?: number;
}

/** Users by their keys. */
export interface UserLookUp {
  /** Each once. */
  readonly keys: readonly string[];
  /** An id; null for a viewer whom nobody can block. */
  readonly viewer: string | null;
  /** As in `UserList`. */
  readonly maxBytes?: number;
}

/** A user in a list, with the key by which names are compared. */
export interface ListedUser extends ViewedUser {
  readonly key: string;
}

/** How much belongs to a user, each up to a limit. */
export interface CountedBelongings {
  /** The documents that they have written. */
  readonly documents: number;
  /** The files that they have stored. */
  readonly files: number;
  /** Sessions that have not been removed; some may have expired. */
  readonly sessions: number;
  readonly followers: number;
  /** The users whom they follow. */
  readonly following: number;
}

export interface UserStore {
  /**
   * Resolves to false when the key is taken, or the name looks like that of another user. Of concurrent calls with names
   * that exclude each other exactly one resolves to true.
   *
   * @throws `role.not_found`
   */
  add(user: NewUser): Promise<boolean>;
  /**
   * Whether `add` would refuse a user of this name because of users who do not block `viewer` (an id; null for a
   * viewer whom nobody can block).
   */
  isTaken(name: UserName, viewer: string | null): Promise<boolean>;
  find(id: string): Promise<UserRecord | null>;
  findByKey(key: string): Promise<UserRecord | null>;
  /**
   * The user as `viewer` sees them (an id; null for a viewer whom nobody can block). One read. Null when there is no
   * such user, and when that user blocks the viewer.
   */
  view(key: string, viewer: string | null): Promise<ViewedUser | null>;
  /** Those of the users whom `view` would find, as the viewer sees them, in the order of `keys`. One read. */
  lookUp(wanted: UserLookUp): Promise<ListedUser[]>;
  /** The ids, by key, of those of the users who exist and do not block `viewer` (null: whomever they block). */
  identify(keys: readonly string[], viewer: string | null): Promise<Map<string, string>>;
  /**
   * The credentials of the user with this name; without one, those of the user to whom the verified address belongs.
   *
   * @param emailKey the key of an address; absent or null: only the name counts
   */
  credentials(key: string, emailKey?: string | null): Promise<UserCredentials | null>;
  /** Resolves to the changed user, or to null when there is no such user. @throws `role.not_found` */
  update(id: string, change: UserChange): Promise<UserRecord | null>;
  /**
   * Renames the user; the new name counts as chosen, not generated. Resolves to false when the name conflicts with that
   * of another user (as in `add`), to null when there is no such user.
   */
  rename(id: string, name: UserName): Promise<boolean | null>;
  /** Records that a guest was there; moves forward, never back. Does nothing for users who are no guests. */
  seen(id: string, at: number): Promise<void>;
  /** The ids of up to `limit` guests who were last there before `moment`, in no order. */
  absentGuests(moment: number, limit: number): Promise<string[]>;
  /**
   * Whether the user is still a guest who was last there before `moment`. If so, a concurrent change that would make the
   * guest permanent waits for the end of the surrounding transaction.
   */
  lockAbsentGuest(id: string, moment: number): Promise<boolean>;
  list(list: UserList): Promise<ListedUser[]>;
  count(selection: UserSelection): Promise<number>;
  summarize(summary: UserSummary): Promise<SummaryRow[]>;
  /** Counts what belongs to a user, of each kind at most `most`, of which it reads no more rows. */
  belongings(id: string, most: number): Promise<CountedBelongings>;
  /**
   * Counts the rows that are removed with the user, up to `most`: documents, files, follow relations, requests and blocks
   * in both directions, grants on the user's documents and files, grants to the user, assets, and answers that are kept for
   * idempotency keys. Reads about `most` rows of each kind.
   */
  weigh(id: string, most: number): Promise<number>;
  /**
   * Removes the user with all their data: sessions, devices, follow relations, requests and blocks in both directions,
   * reset tokens, second factors, challenges, mails that wait, claimed and verified addresses, links to social networks, documents, files, memberships of groups, and the grants to them. A group
   * that they own goes to the longest-serving manager, or without managers to the longest-serving member; a group
   * without other members is removed. The change feed marks changed visibility for the followers. Resolves to false when there is no
   * such user.
   */
  remove(id: string): Promise<boolean>;
  /**
   * Begins to remove a user to whom too much belongs for one transaction. For all other methods there is no such user any
   * more, and the name is free. Removes everything with which the user could log in or be reached, the profile, and the
   * memberships of groups, as `remove` does. What `weigh` counts stays until `removePart` removes it; until then documents
   * and files have the author `REMOVED_NAME`. Survives a restart, and cannot be undone. Resolves to false when there is no
   * such user.
   */
  beginRemoval(id: string): Promise<boolean>;
  /**
   * Removes up to about `limit` rows of a user whose removal has begun, as `remove` does: a document goes together with its
   * grants, however many it has. The last part removes the user. Concurrent calls for one user are harmless. Resolves to
   * false when nothing is left, and for users whose removal has not begun.
   */
  removePart(id: string, limit: number): Promise<boolean>;
  /** The ids of up to `limit` users whose removal has begun and is not finished, in ascending order. */
  removalsBegun(limit: number): Promise<string[]>;
}
