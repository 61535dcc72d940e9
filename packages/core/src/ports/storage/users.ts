import type { SummaryRequest } from '../../criteria/summary.ts';
import type { Condition, ListPosition, OrderKey } from '../../criteria/syntax.ts';
import type { SummaryRow } from './documents.ts';

/** What there is to know of a user on every request. */
export interface UserIdentity {
  /** UUID; stays when the user is renamed. */
  readonly id: string;
  readonly name: string;
  /** Name of the one main role, in the spelling of the role. */
  readonly role: string;
}

export type UserStatus = 'ACTIVE' | 'SUSPENDED';

/** The four parts of a profile by who may see them, in the order of the interface. */
export const SECTIONS = [
  'visibleByTheUser',
  'visibleByFriend',
  'visibleByRegisteredUsers',
  'visibleByAnonymousUsers',
] as const;
export type SectionName = (typeof SECTIONS)[number];

/** Canonical JSON text of an object for each part; `{}` when unset. */
export type Sections = Readonly<Record<SectionName, string>>;

export interface UserRecord extends UserIdentity {
  readonly status: UserStatus;
  /** Whether the service made the name up (social login); such a user may choose one. */
  readonly generated: boolean;
  /** When the user signed up, milliseconds. */
  readonly created: number;
  readonly sections: Sections;
}

/** A name and what it is compared by. */
export interface UserName {
  readonly name: string;
  /** Two names with one key are the same. Unique. */
  readonly key: string;
  /** Two names with one skeleton look alike: one of them is refused, unless both are plain. */
  readonly skeleton: string;
  /** Whether the key is ASCII alone: such names are not confused with each other, only with others. */
  readonly isPlain: boolean;
}

export interface NewUser extends UserRecord, UserName {
  /** `null`: cannot sign in by password. */
  readonly passwordHash: string | null;
}

/** What a sign-in by password needs, in one read. */
export interface UserCredentials extends UserIdentity {
  readonly status: UserStatus;
  readonly passwordHash: string | null;
}

/** What may change of a user; what is absent stays. */
export interface UserChange {
  readonly sections?: Partial<Sections>;
  /** Name of an existing role. */
  readonly role?: string;
  readonly status?: UserStatus;
  readonly passwordHash?: string;
}

/** A user as somebody sees them. */
export interface ViewedUser extends UserRecord {
  /** Whether the viewer follows them. */
  readonly isFollowed: boolean;
}

/** Which users a list is of. */
export type UserSet =
  | { readonly kind: 'all' }
  /** Whom `of` follows. */
  | { readonly kind: 'following'; readonly of: string }
  /** Who follows `of`. */
  | { readonly kind: 'followers'; readonly of: string };

/** What a viewer may see of users, beside what everybody may. */
export interface ProfileScope {
  /** An id; null for anonymous viewers. */
  readonly viewer: string | null;
  /** Whether they see everything of everybody. */
  readonly everything: boolean;
  /** Whether they see everybody as a friend does. */
  readonly asFriend: boolean;
}

/** Users of a set for whom a condition holds, as the viewer sees them: what they may not read is absent. */
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
   * What is alike in these comes by ascending id; empty for that alone. `signUpDate` is the order of the ids,
   * `user.name` that of the keys, by code point. Without a condition the former costs a page; the latter, too, in the
   * set of all users, else as much as the set is large.
   */
  readonly order: readonly OrderKey[];
  /** Only users behind this position in that order; null from the beginning. Made by `userSortValues`. */
  readonly after: ListPosition | null;
  /** How many of those to pass over. */
  readonly skip: number;
  readonly limit: number;
  /**
   * Bytes of the sections of rows (as UTF-8) behind which nothing more is read: the row with which they have more is the last
   * one, unless it is the first. Absent: any number.
   */
  readonly maxBytes?: number;
}

/** Users taken together: see `DocumentSummary`. */
export interface UserSummary extends UserSelection, SummaryRequest {
  readonly skip: number;
  readonly limit: number;
  /**
   * Bytes of the texts of rows (as UTF-8) behind which nothing more is read: the row with which they have more is the last
   * one, unless it is the first. Absent: any number.
   */
  readonly maxBytes?: number;
}

/** A user in a list, with the key that names are compared by. */
export interface ListedUser extends ViewedUser {
  readonly key: string;
}

export interface UserStore {
  /**
   * Resolves to false when the key is taken, or the name looks like that of another user. Of concurrent calls with names
   * that exclude each other exactly one resolves to true.
   *
   * @throws `role.not_found`
   */
  add(user: NewUser): Promise<boolean>;
  /** Whether `add` would refuse a user of this name. */
  isTaken(name: UserName): Promise<boolean>;
  find(id: string): Promise<UserRecord | null>;
  findByKey(key: string): Promise<UserRecord | null>;
  /** The user as `viewer` (an id, or null for nobody in particular) sees them; one read. */
  view(key: string, viewer: string | null): Promise<ViewedUser | null>;
  /** The ids of those who exist, by key. */
  identify(keys: readonly string[]): Promise<Map<string, string>>;
  credentials(key: string): Promise<UserCredentials | null>;
  /** Resolves to the changed user, or to null when there is none. @throws `role.not_found` */
  update(id: string, change: UserChange): Promise<UserRecord | null>;
  /**
   * Gives another name, which is no generated one. Resolves to false when a new user of that name would be refused
   * because of others, to null when there is no such user.
   */
  rename(id: string, name: UserName): Promise<boolean | null>;
  /** Up to `limit` users whose names came from a program that knew no skeletons. */
  withoutSkeleton(limit: number): Promise<Array<Pick<UserRecord, 'id' | 'name'>>>;
  /** Sets what names look like, of those users who still have them; whether others look alike is no matter. */
  setSkeletons(users: ReadonlyArray<UserName & Pick<UserRecord, 'id'>>): Promise<void>;
  list(list: UserList): Promise<ListedUser[]>;
  count(selection: UserSelection): Promise<number>;
  summarize(summary: UserSummary): Promise<SummaryRow[]>;
  /**
   * Removes the user with all that is theirs: sessions, devices, follow relations in both directions, reset tokens,
   * links to social networks, documents, files, and what was granted to them. Resolves to false when there is none.
   */
  remove(id: string): Promise<boolean>;
}
