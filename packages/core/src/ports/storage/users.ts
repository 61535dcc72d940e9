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

export interface NewUser extends UserRecord {
  /** The name as compared: two names of one key are the same. Unique. */
  readonly key: string;
  /** `null`: cannot sign in by password. */
  readonly passwordHash: string | null;
}

/** What a sign-in by password needs, in one read. */
export interface UserCredentials extends UserIdentity {
  readonly status: UserStatus;
  readonly passwordHash: string | null;
}

export interface UserStore {
  /** Resolves to false when the key is taken; of concurrent calls with one key exactly one resolves to true. */
  add(user: NewUser): Promise<boolean>;
  find(id: string): Promise<UserRecord | null>;
  findByKey(key: string): Promise<UserRecord | null>;
  credentials(key: string): Promise<UserCredentials | null>;
}
