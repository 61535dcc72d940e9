/** Types of who has access, part of `admin-wire.ts`. */

/** Actor or target of an audit event. */
export interface AuditParty {
  /** Kind, such as `user`, `key` or `setting`; `operator`: a person who runs commands on the machine. */
  readonly kind: string;
  readonly id: string | null;
  /** Name at the time of the event. */
  readonly name: string | null;
}

interface Made {
  /** Actor who gave this access; null if no stored audit event contains it. */
  readonly by: AuditParty | null;
  readonly at: string | null;
}

/** Result of securing an account. */
export interface SecuredAccount {
  /** True if two-factor authentication was on. */
  readonly totp: boolean;
  /** Number of removed passkeys. */
  readonly passkeys: number;
  /** Social networks that are no longer linked. */
  readonly networks: readonly string[];
  /** State of the mail with a link for a new password. Unless it is `sent`, set a password. */
  readonly mail: 'sent' | 'no_address' | 'failed';
}

/** Everything that keeps access to the data of others. */
export interface AccessList {
  /** Administrators and BackOffice users. `by` and `at`: who gave them this role, and when. */
  readonly accounts: readonly (Made & {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly status: 'ACTIVE' | 'SUSPENDED' | 'ERASING';
    readonly created: string;
  })[];
  /** True if there are more than 1,000 accounts of a role. */
  readonly more: boolean;
  /** API keys with their creators. */
  readonly keys: readonly (Made & {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly expires: string | null;
    /** Accurate to the minute. */
    readonly lastUse: string | null;
  })[];
  /** Webhooks with their creators. */
  readonly webhooks: readonly (Made & {
    readonly id: string;
    readonly url: string;
    readonly collections: readonly string[];
    readonly where: string | null;
    readonly enabled: boolean;
    /** Last change of the settings or the secret. */
    readonly changedBy: AuditParty | null;
    readonly changedAt: string | null;
  })[];
  /** Collections whose rules give permissions on the documents of others. `by` and `at`: their last change. */
  readonly collections: readonly (Made & {
    readonly name: string;
    readonly rules: readonly {
      readonly action: 'read' | 'update' | 'delete';
      readonly role: string;
      /** Filter of the rule; null for all documents. */
      readonly if: string | null;
    }[];
    /** Field through which documents inherit permissions. */
    readonly parent: string | null;
  })[];
}
