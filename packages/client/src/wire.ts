/** What the service sends and receives. A test compares these types with docs/openapi.json. */

type Section = { readonly [name: string]: unknown };

/** The fields of a document that the service manages. */
export interface DocumentFields {
  readonly id: string;
  readonly '@ID': string;
  readonly '@rid': string;
  /** Grows with each change. */
  readonly '@version': number;
  /** The name of the collection. */
  readonly '@class': string;
  readonly _creation_date: string;
  readonly _update_date: string;
  readonly _author: string;
  /** What the fields of `expand` refer to, by their paths. */
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

/** A section that the caller may not see is null. */
export interface Profile {
  readonly user: {
    readonly name: string;
    readonly status: 'ACTIVE' | 'SUSPENDED';
    readonly roles: readonly { readonly name: string }[];
  };
  readonly id: string;
  readonly visibleByTheUser: Section | null;
  readonly visibleByFriend: Section | null;
  readonly visibleByRegisteredUsers: Section | null;
  readonly visibleByAnonymousUsers: Section | null;
  readonly signUpDate: string;
  readonly generated_username: boolean;
  /** Absent for whoever may not see the address. */
  readonly email_verified?: boolean;
  /** Present, and true, for guests: they have no way to log in again. */
  readonly guest?: boolean;
}

export interface SignedIn extends Profile {
  readonly 'X-BB-SESSION': string;
  /** After a login or sign-up: sent with the next login, it keeps strangers from locking the user out. */
  readonly client?: string;
}

/** Without a token if the address of the new user has to be verified first. */
export interface SignedUp extends Profile, Partial<Omit<SignedIn, keyof Profile>> {}

export interface Passkey {
  readonly id: string;
  readonly name: string;
  /** The id of the credential, base64url. */
  readonly credential: string;
  readonly transports: readonly string[];
  readonly created: string;
  /** The last login with it. */
  readonly lastUse: string | null;
}

interface PasskeyReference {
  readonly type: 'public-key';
  readonly id: string;
}

/** What an authenticator creates a passkey from (`PublicKeyCredentialCreationOptionsJSON`). */
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

/** What a passkey signs (`PublicKeyCredentialRequestOptionsJSON`). */
export interface PasskeyRequestOptions {
  readonly challenge: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly rpId: string;
  readonly allowCredentials: readonly PasskeyReference[];
  readonly userVerification: 'required';
}

/** Each section that is sent replaces the stored one; the others stay as they are. */
export interface ProfileSections {
  readonly visibleByTheUser?: Section;
  readonly visibleByFriend?: Section;
  readonly visibleByRegisteredUsers?: Section;
  readonly visibleByAnonymousUsers?: Section;
}

export interface Device {
  readonly os: 'android' | 'ios';
  /** The push token of the device. */
  readonly deviceId: string;
}

export interface OpenSession {
  readonly id: string;
  readonly device: { readonly id: string; readonly os: string | null } | null;
  readonly created: string;
  readonly lastUse: string;
  /** A prefix of the address from which it began. */
  readonly network: string | null;
  /** What the client called itself there. */
  readonly client: string | null;
  /** The second factor of the login. */
  readonly factor: 'totp' | 'recovery_code' | 'passkey' | null;
  /** Whether it is the session that made the call. */
  readonly current: boolean;
}

export interface SecondFactorState {
  readonly enabled: boolean;
  /** When it was turned on. */
  readonly since: string | null;
  /** How many recovery codes have not been used. */
  readonly recovery_codes: number;
  /** How many passkeys the user has. */
  readonly passkeys: number;
}

/** Shown only once. */
export interface NewSecondFactor {
  /** For users who type it. */
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

export interface SocialToken {
  readonly oauth_token: string;
  /** The secret of OAuth 1; otherwise the token again, which is the default. */
  readonly oauth_secret?: string;
  /** The nonce in the id_token, if there is one. */
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
  /** The caller's; null for administrators who are not in the group. */
  readonly role: GroupRole | null;
}

export interface GroupMember {
  readonly name: string;
  readonly role: GroupRole;
}

/** Somebody who is invited to a group. */
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

/** An invitation by a code. */
export interface InvitationOptions {
  readonly role?: 'manager' | 'member';
  /** The code is mailed to this address, and only the user who has verified it can accept. */
  readonly email?: string;
  /** How many users can accept; 1 by default. */
  readonly uses?: number;
  /** Seconds for which the code works; a week by default. */
  readonly expires?: number;
}

export interface NewInvitation {
  readonly id: string;
  /** Shown this once. */
  readonly code: string;
  /** The page of the app by the setting `invitation.url`; null without it. */
  readonly url: string | null;
}

export interface ListedInvitation {
  readonly id: string;
  readonly role: GroupRole;
  readonly email: string | null;
  /** How many users can still accept. */
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
  /** How many. */
  readonly members: number;
}

export type Right = 'read' | 'update' | 'delete' | 'all';

export interface Grantees {
  readonly users?: readonly string[];
  readonly roles?: readonly string[];
  /** Ids. */
  readonly groups?: readonly string[];
}

export type Grants = { readonly [R in Right]?: Grantees };

export interface StoredFile {
  readonly id: string;
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly contentLength: number;
  readonly attachedData: { readonly [name: string]: unknown };
  readonly metadata: { readonly sha256: string };
  readonly _author: string;
  readonly _creation_date: string;
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
  /** Bytes. */
  readonly contentLength?: number;
}

export interface PushMessage {
  /** The text that is shown. */
  readonly message: string;
  /** Data for the app. */
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
  /** The name of the user who sent it; null when that user has been removed. */
  readonly sender: string | null;
  readonly message: string;
  readonly created: string;
  readonly expires: string;
}

export interface PushState {
  readonly id: string;
  readonly created: string;
  readonly expires: string;
  /** Devices by platform and state. */
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
