/** What is worth an audit event. The names are stable from release to release. */
export const AUDIT_ACTS = [
  'login.succeeded',
  'login.failed',
  'account.locked',
  'session.ended',
  'sessions.ended',
  'user.signed_up',
  'user.created',
  'user.removed',
  'user.renamed',
  'user.role_changed',
  'user.suspended',
  'user.activated',
  'password.changed',
  'password.set',
  'password.reset_requested',
  'password.reset',
  'factor.enabled',
  'factor.disabled',
  'factors.reset',
  'passkey.added',
  'passkey.removed',
  'email.claimed',
  'email.verified',
  'email.changed',
  'social.linked',
  'social.unlinked',
  'key.created',
  'key.removed',
  'role.created',
  'role.changed',
  'role.removed',
  'rules.changed',
  'setting.changed',
  'webhook.created',
  'webhook.changed',
  'webhook.removed',
  'webhook.secret_rotated',
] as const;

export type AuditAct = (typeof AUDIT_ACTS)[number];

/** Who acts, or to whom or what something is done. */
export interface AuditParty {
  /** `operator`: whoever runs commands on the machine. */
  readonly kind:
    | 'anonymous'
    | 'operator'
    | 'user'
    | 'key'
    | 'role'
    | 'passkey'
    | 'setting'
    | 'network'
    | 'collection'
    | 'webhook';
  /** Null for anonymous callers and operators. */
  readonly id: string | null;
  /** What people call it; null where it has no name. */
  readonly name: string | null;
}

/** Something relevant to security that happened. It contains no secrets, and no names that were only guessed. */
export interface AuditEvent {
  /** Milliseconds. */
  readonly at: number;
  readonly act: AuditAct;
  readonly by: AuditParty;
  /** Null where nobody is concerned, or nobody knows who. */
  readonly to: AuditParty | null;
  /** The network of the client, such as `192.0.2.0/24`, as lists of sessions show it; null where it is not known. */
  readonly network: string | null;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** Where audit events go. */
export interface AuditSink {
  /**
   * Resolves when the event is kept, as well as this sink keeps anything. Events of one caller are kept in the order of the
   * calls. Nothing waits for it, and a failure concerns nobody but the operator.
   */
  write(event: AuditEvent): Promise<void>;
}
