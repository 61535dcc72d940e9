import type { ListPage, SummaryPage, SummaryRow } from '../../criteria/pages.ts';
import type { Condition } from '../../criteria/syntax.ts';
import type { SectionName } from '../../section-names.ts';

/** The user data that every request needs. */
export interface UserIdentity {
  /** UUID; stays the same when the user is renamed. */
  readonly id: string;
  readonly name: string;
  /** Name of the user's main role, as the role is spelled. */
  readonly role: string;
}

/** `ERASING`: the user has asked for the deletion of the account. They cannot log in, as if suspended. */
export type UserStatus = 'ACTIVE' | 'SUSPENDED' | 'ERASING';

/** Canonical JSON text of an object for each section; `{}` if unset. */
export type Sections = Readonly<Record<SectionName, string>>;

export interface UserRecord extends UserIdentity {
  readonly status: UserStatus;
  /** True if the server generated the name (social login, guests). The user may then choose one. */
  readonly generated: boolean;
  /** Time of sign-up, in milliseconds. */
  readonly created: number;
  /** True if the user has verified the address in `visibleByTheUser`. */
  readonly emailVerified: boolean;
  /** True for a guest: a user who cannot log in again and depends on the session. */
  readonly guest: boolean;
  readonly sections: Sections;
}

/** A user name, and the keys by which it is compared. */
export interface UserName {
  readonly name: string;
  /** Unique. Two names with one key are the same. */
  readonly key: string;
  /** Two names with one skeleton look alike. The second is rejected, unless both are plain. */
  readonly skeleton: string;
  /** True if the key is pure ASCII. Such names are confusable only with names that are not. */
  readonly isPlain: boolean;
}

/** Use of the former name of a renamed user. */
export interface NameReservation {
  /** In milliseconds. */
  readonly now: number;
  /** Time from which on others can take the former name, in milliseconds. Not after `now`: at once. */
  readonly reservedUntil: number;
}

export interface NewUser extends UserRecord, UserName {
  /** `null`: the user cannot log in with a password. */
  readonly passwordHash: string | null;
  /** True if the user must verify an e-mail address before they can log in (`EmailStore.verify`). */
  readonly awaitsEmail: boolean;
}

/** A user with the data that determines their rights. */
export interface UserWithGroups extends UserIdentity {
  readonly status: UserStatus;
  /** Ids of the user's groups, in no particular order. */
  readonly groups: readonly string[];
}

/** User data for a login with a password, in one read. */
export interface UserCredentials extends UserWithGroups {
  readonly passwordHash: string | null;
  /** True if a login needs a second factor besides the password. */
  readonly hasSecondFactor: boolean;
  /** True if the user must verify an e-mail address before they can log in (`EmailStore.verify`). */
  readonly awaitsEmail: boolean;
}

/** Changes to a user. Absent members stay unchanged. */
export interface UserChange {
  readonly sections?: Partial<Sections>;
  /** Name of an existing role. */
  readonly role?: string;
  /** `ACTIVE` also clears `eraseAt`. */
  readonly status?: UserStatus;
  /** Time from which on the user is removed, in milliseconds. */
  readonly eraseAt?: number;
  /** Also makes a guest permanent. */
  readonly passwordHash?: string;
  /** Makes a guest permanent. */
  readonly guest?: false;
}

/** A user as seen by a viewer. */
export interface ViewedUser extends UserRecord {
  /** True if the viewer follows them. */
  readonly isFollowed: boolean;
}

/** The set of users in a list. Excludes users who block the viewer. */
export type UserSet =
  | { readonly kind: 'all' }
  /** Users whom `of` follows. */
  | { readonly kind: 'following'; readonly of: string }
  /** Followers of `of`. */
  | { readonly kind: 'followers'; readonly of: string }
  /** Users who ask to follow `of`. */
  | { readonly kind: 'requests'; readonly of: string }
  /** Users whom `of` blocks. */
  | { readonly kind: 'blocked'; readonly of: string };

/** Extends a viewer's access to users beyond what is public. */
export interface ProfileScope {
  /** User id; null for anonymous viewers. */
  readonly viewer: string | null;
  /** True if the viewer sees all users, regardless of blocks, and all sections. */
  readonly everything: boolean;
  /** True if the viewer sees every user as a friend does. */
  readonly asFriend: boolean;
}

/**
 * The users of a set that match a filter, as the viewer sees them. Sections that the viewer may not read are absent.
 */
export interface UserSelection {
  readonly userSet: UserSet;
  readonly profileScope: ProfileScope;
  /** Key of a user to leave out. */
  readonly without: string;
  /** Null for all. */
  readonly where: Condition | null;
}

/**
 * A page of users. `signUpDate` is the order of the ids, `user.name` that of the keys, by code point. Without a filter,
 * `signUpDate` costs one page, and so does `user.name` in the set of all users. In other sets `user.name` costs time
 * proportional to the size of the set.
 */
export interface UserList extends UserSelection, ListPage {}

export interface UserSummary extends UserSelection, SummaryPage {}

/** Users by their keys. */
export interface UserLookUp {
  /** Each once. */
  readonly keys: readonly string[];
  /** User id; null for a viewer whom no user can block. */
  readonly viewer: string | null;
  /** See `ListPage`. */
  readonly maxBytes?: number;
}

/** A user in a list, with the key by which names are compared. */
export interface ListedUser extends ViewedUser {
  readonly key: string;
}

/** Number of items that belong to a user, each up to a limit. */
export interface CountedBelongings {
  /** Documents created by the user. */
  readonly documents: number;
  /** Files uploaded by the user. */
  readonly files: number;
  /** Sessions that have not been removed, including expired ones. */
  readonly sessions: number;
  readonly followers: number;
  /** Users whom the user follows. */
  readonly following: number;
}

/** Maximum number of reserved names per user, so that nobody can reserve any number of names. */
export const MAX_RESERVED_NAMES = 10;

export interface UserStore {
  /**
   * Resolves to false if the key is taken, or the name looks like that of another user. Names reserved at the time
   * `created` count as taken (see `rename`). Of concurrent calls with conflicting names exactly one resolves to true.
   *
   * @throws `role.not_found`
   */
  add(user: NewUser): Promise<boolean>;
  /**
   * Returns true if `add` would reject this name at the time `now` because of users who do not block `viewer` (an id;
   * null for a viewer whom no user can block). A name reserved for the viewer is not taken.
   */
  isTaken(name: UserName, viewer: string | null, now: number): Promise<boolean>;
  find(id: string): Promise<UserRecord | null>;
  findByKey(key: string): Promise<UserRecord | null>;
  /** Returns up to `limit` users with this role, named as it is spelled, oldest first. */
  ofRole(role: string, limit: number): Promise<UserRecord[]>;
  /**
   * Returns the user as seen by `viewer` (an id; null for a viewer whom no user can block). One read. Null if there is
   * no such user, or that user blocks the viewer.
   */
  view(key: string, viewer: string | null): Promise<ViewedUser | null>;
  /** Returns those of the users that `view` would find, as seen by the viewer, in the order of `keys`. One read. */
  lookUp(wanted: UserLookUp): Promise<ListedUser[]>;
  /**
   * Returns the ids, by key, of those of the users who exist and do not block `viewer` (null: regardless of blocks).
   */
  identify(keys: readonly string[], viewer: string | null): Promise<Map<string, string>>;
  /**
   * Returns the credentials of the user with this name; if there is none, those of the user with this verified address.
   *
   * @param emailKey key of an address; absent or null: only the name counts
   */
  credentials(key: string, emailKey?: string | null): Promise<UserCredentials | null>;
  /** Resolves to the changed user, or to null if there is no such user. @throws `role.not_found` */
  update(id: string, change: UserChange): Promise<UserRecord | null>;
  /**
   * Renames the user. The new name counts as chosen, not generated. Resolves to false if the name conflicts with that
   * of another user, or with one reserved for another user (as in `add`), to null if there is no such user.
   *
   * The former name is reserved for the user, who can take it back. Only the last `MAX_RESERVED_NAMES` of a user are
   * reserved. Reservations end with their user.
   */
  rename(id: string, name: UserName, reservation: NameReservation): Promise<boolean | null>;
  /** Records activity of a guest; moves forward, never back. No-op for users who are not guests. */
  seen(id: string, at: number): Promise<void>;
  /** Returns the ids of up to `limit` guests last active before `moment`, in no particular order. */
  absentGuests(moment: number, limit: number): Promise<string[]>;
  /**
   * Returns true if the user is still a guest last active before `moment`. If so, a concurrent change that would make
   * the guest permanent waits for the end of the surrounding transaction.
   */
  lockAbsentGuest(id: string, moment: number): Promise<boolean>;
  /** Returns the ids of up to `limit` users whose `eraseAt` has come by `now`, the earliest first. */
  dueErasures(now: number, limit: number): Promise<string[]>;
  /**
   * Returns true if the user's `eraseAt` has come by `now`. If so, a concurrent change that would clear it waits for the
   * end of the surrounding transaction.
   */
  lockDueErasure(id: string, now: number): Promise<boolean>;
  list(list: UserList): Promise<ListedUser[]>;
  count(selection: UserSelection): Promise<number>;
  summarize(summary: UserSummary): Promise<SummaryRow[]>;
  /** Counts what belongs to a user, of each kind at most `most`, and reads no more rows than that. */
  belongings(id: string, most: number): Promise<CountedBelongings>;
  /**
   * Removes the user with all their data: sessions, devices, follow relations, requests and blocks in both directions,
   * reset tokens, second factors, challenges, waiting mails, claimed and verified addresses, links to social networks,
   * documents, files, group memberships, and the grants to them. A group that they own is transferred to the
   * longest-serving manager, or without managers to the longest-serving member. A group without other members is
   * removed. The change feed marks changed visibility for the followers.
   *
   * From then on all other methods treat the user as absent, and the name is free. A storage may leave it to
   * `Storage.maintain` to remove documents, files, follow relations, requests and blocks, grants on the user's documents
   * and files, grants to the user, assets, and answers stored for idempotency keys, a document together with all its
   * grants. Until then documents and files have the author `REMOVED_NAME`. Survives a restart, and cannot be undone.
   *
   * With `keepsShared`, documents and files with a grant to a group that exists stay, with the author `REMOVED_NAME`.
   * Resolves to false if there is no such user.
   */
  remove(id: string, keepsShared?: boolean): Promise<boolean>;
}
