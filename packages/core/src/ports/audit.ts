/** Audited actions. The names are stable across releases. */
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
  'user.secured',
  'user.erasure_requested',
  'user.erasure_canceled',
  'user.erased',
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
  'backup.downloaded',
  'backup.removed',
  'webhook.created',
  'webhook.changed',
  'webhook.removed',
  'webhook.secret_rotated',
] as const;

export type AuditAct = (typeof AUDIT_ACTS)[number];

/** The actor or the target of an event. */
export interface AuditParty {
  /** `operator`: commands run on the server machine. */
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
  /** Display name; null if it has none. */
  readonly name: string | null;
}

/** A security event. Contains no secrets, and no user names that were only guessed. */
export interface AuditEvent {
  /** In milliseconds. */
  readonly at: number;
  readonly act: AuditAct;
  readonly by: AuditParty;
  /** Null if the event has no target, or an unknown one. */
  readonly to: AuditParty | null;
  /** Network of the client, such as `192.0.2.0/24`, as shown in session lists; null if unknown. */
  readonly network: string | null;
  readonly details: Readonly<Record<string, string | number | boolean | null>>;
}

/** Destination of audit events. */
export interface AuditSink {
  /**
   * Resolves when the event is stored, as durably as this sink stores anything. Events of one caller are stored in call
   * order. Requests do not wait for it, and only the operator is told about failures.
   */
  write(event: AuditEvent): Promise<void>;
}
