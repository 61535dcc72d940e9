/** Types of requests and responses. A test compares them with docs/openapi.json. */

type Section = { readonly [name: string]: unknown };

/** Document fields managed by the server. */
export interface DocumentFields {
  readonly id: string;
  readonly '@ID': string;
  readonly '@rid': string;
  /** Grows with each change. */
  readonly '@version': number;
  /** Name of the collection. */
  readonly '@class': string;
  readonly _creation_date: string;
  readonly _update_date: string;
  /** Null if the user has deleted the account. */
  readonly _author: string | null;
  /** Name of the user who wrote this version; null if the account no longer exists. */
  readonly _updated_by: string | null;
  /** Documents that the fields in `expand` refer to, by path. */
  readonly _expanded?: { readonly [path: string]: unknown };
}

/** A change in the feed. `gone`: deleted, or no longer readable by the caller. */
export interface Change {
  readonly type: 'put' | 'gone';
  readonly collection: string;
  readonly id: string;
  /** The version of the document, for `put`. */
  readonly version?: number;
  readonly document?: DocumentFields;
}

/** A profile. Sections that the caller may not see are null. */
export interface Profile {
  readonly user: {
    readonly name: string;
    readonly status: 'ACTIVE' | 'SUSPENDED' | 'ERASING';
    readonly roles: readonly { readonly name: string }[];
  };
  readonly id: string;
  readonly visibleByTheUser: Section | null;
  readonly visibleByFriend: Section | null;
  readonly visibleByRegisteredUsers: Section | null;
  readonly visibleByAnonymousUsers: Section | null;
  readonly signUpDate: string;
  readonly generated_username: boolean;
  /** Absent if the caller may not see the address. */
  readonly email_verified?: boolean;
  /** True for guests, who cannot log in again; otherwise absent. */
  readonly guest?: boolean;
}

export interface SignedIn extends Profile {
  readonly 'X-BB-SESSION': string;
  /**
   * Device token after a login or sign-up. Sent with the next login, it protects the user from account lockout by
   * strangers.
   */
  readonly client?: string;
}

/** Without a token if the new user's address must be verified first. */
export interface SignedUp extends Profile, Partial<Omit<SignedIn, keyof Profile>> {}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** Credential id, base64url. */
  readonly credential: string;
  readonly transports: readonly string[];
  readonly created: string;
  /** Time of the last login with it. */
  readonly lastUse: string | null;
}

interface PasskeyReference {
  readonly type: 'public-key';
  readonly id: string;
}

/** Options for creating a passkey (`PublicKeyCredentialCreationOptionsJSON`). */
export interface PasskeyCreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: number }[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly excludeCredentials: readonly (PasskeyReference & { readonly transports: readonly string[] })[];
  readonly authenticatorSelection: {
    readonly residentKey: 'required';
    readonly requireResidentKey: boolean;
    readonly userVerification: 'required';
  };
  readonly attestation: 'none';
}

/** Options for signing with a passkey (`PublicKeyCredentialRequestOptionsJSON`). */
export interface PasskeyRequestOptions {
  readonly challenge: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly rpId: string;
  readonly allowCredentials: readonly PasskeyReference[];
  readonly userVerification: 'required';
}

/** Each given section replaces the stored one; absent sections stay unchanged. */
export interface ProfileSections {
  readonly visibleByTheUser?: Section;
  readonly visibleByFriend?: Section;
  readonly visibleByRegisteredUsers?: Section;
  readonly visibleByAnonymousUsers?: Section;
}

export interface Device {
  readonly os: 'android' | 'ios';
  /** Push token of the device. */
  readonly deviceId: string;
}

export interface OpenSession {
  readonly id: string;
  readonly device: { readonly id: string; readonly os: string | null } | null;
  readonly created: string;
  readonly lastUse: string;
  /** Network prefix of the client's address at login. */
  readonly network: string | null;
  /** Name that the client sent at login. */
  readonly client: string | null;
  /** Second factor used for the login. */
  readonly factor: 'totp' | 'recovery_code' | 'passkey' | null;
  /** True for the session that made the call. */
  readonly current: boolean;
}

/** Credentials and sessions of a user. */
export interface AccountAccess {
  /** Address for mails with a new password. */
  readonly email: string | null;
  readonly email_verified: boolean;
  /** True if the user has a password. */
  readonly password: boolean;
  /** Time at which two-factor authentication was turned on; null if it is off. */
  readonly totp: string | null;
  readonly passkeys: readonly Passkey[];
  /** Linked social networks, with the id of the person there. */
  readonly networks: readonly { readonly network: string; readonly id: string }[];
  readonly sessions: readonly OpenSession[];
}

export interface SecondFactorState {
  readonly enabled: boolean;
  /** Time at which it was turned on. */
  readonly since: string | null;
  /** Number of unused recovery codes. */
  readonly recovery_codes: number;
  /** Number of passkeys. */
  readonly passkeys: number;
}

/** Shown only once. */
export interface NewSecondFactor {
  /** For manual entry. */
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

export interface SocialToken {
  readonly oauth_token: string;
  /** Secret of OAuth 1; otherwise the token again, which is the default. */
  readonly oauth_secret?: string;
  /** Nonce in the id_token, if there is one. */
  readonly nonce?: string;
}

export interface SocialConnection {
  readonly username: string;
  readonly password: string | null;
  readonly from: string;
  readonly token: string;
  readonly secret: string;
  readonly id: string;
  readonly additionalData: {
    readonly email: string | null;
    readonly name: string | null;
    readonly avatarUrl: string | null;
    readonly personal_url: string | null;
  };
}

export type FollowingPolicy = 'anyone' | 'approve' | 'nobody';

export type GroupRole = 'owner' | 'manager' | 'member';

export interface Group {
  readonly id: string;
  readonly name: string;
  /** Role of the caller; null for administrators who are not in the group. */
  readonly role: GroupRole | null;
}

export interface GroupMember {
  readonly name: string;
  readonly role: GroupRole;
}

/** A user who is invited to a group. */
export interface InvitedUser {
  readonly name: string;
  readonly role: GroupRole;
  readonly invited_by: string;
}

/** An invitation to a group. */
export interface GroupInvitation {
  readonly group: { readonly id: string; readonly name: string };
  readonly role: GroupRole;
  readonly invited_by: string;
}

/** Options of an invitation code. */
export interface InvitationOptions {
  readonly role?: 'manager' | 'member';
  /** Email address that receives the code. Only the user who has verified it can accept. */
  readonly email?: string;
  /** Number of users who can accept; default 1. */
  readonly uses?: number;
  /** Validity in seconds; default one week. */
  readonly expires?: number;
}

export interface NewInvitation {
  readonly id: string;
  /** Shown only once. */
  readonly code: string;
  /** Page of the app, from the setting `invitation.url`; null without it. */
  readonly url: string | null;
}

export interface ListedInvitation {
  readonly id: string;
  readonly role: GroupRole;
  readonly email: string | null;
  /** Number of users who can still accept. */
  readonly uses: number;
  readonly expires: string;
  readonly invited_by: string;
}

export interface ShownInvitation {
  readonly group: { readonly name: string };
  readonly role: GroupRole;
  readonly invited_by: string;
  readonly expires: string;
}

export interface ListedGroup {
  readonly id: string;
  readonly name: string;
  /** Number of members. */
  readonly members: number;
}

export type Right = 'read' | 'update' | 'delete' | 'all';

export interface Grantees {
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
  /** Group ids. */
  readonly groups?: readonly string[];
}

export type Grants = { readonly [R in Right]?: Grantees };

/** A document as `<collection>/<id>`. */
export type DocumentRef = `${string}/${string}`;

export interface StoredFile {
  readonly id: string;
  readonly fileName: string;
  readonly contentType: string;
  /** Size in bytes. */
  readonly contentLength: number;
  readonly attachedData: { readonly [name: string]: unknown };
  readonly metadata: { readonly sha256: string };
  /** Null if the user has deleted the account. */
  readonly _author: string | null;
  readonly _creation_date: string;
  /** Document that the file belongs to, as `<collection>/<id>`; absent for none. */
  readonly document?: string;
  readonly '@version': number;
}

export interface Asset {
  readonly id: string;
  readonly name: string;
  readonly meta: unknown;
  readonly _creation_date: string;
  readonly _author: string | null;
  readonly fileName?: string;
  readonly contentType?: string;
  /** Size in bytes. */
  readonly contentLength?: number;
}

export interface PushMessage {
  /** Displayed text. */
  readonly message: string;
  /** Custom data for the app. */
  readonly custom?: { readonly [name: string]: unknown };
  readonly badge?: number;
  readonly sound?: string;
  readonly collapse_key?: string;
  /** Seconds. */
  readonly time_to_live?: number;
}

/** A notification in the list of all. */
export interface ListedPush {
  readonly id: string;
  /** Name of the sender; null if the user has been removed. */
  readonly sender: string | null;
  readonly message: string;
  readonly created: string;
  readonly expires: string;
}

export interface PushState {
  readonly id: string;
  readonly created: string;
  readonly expires: string;
  /** Number of devices by platform and state. */
  readonly counts: {
    readonly android: { readonly [state: string]: number };
    readonly ios: { readonly [state: string]: number };
  };
  readonly devices: readonly {
    readonly user: string | null;
    readonly os: 'android' | 'ios';
    readonly state: string;
    readonly attempts: number;
    readonly reason: string | null;
    readonly device?: string;
  }[];
}
