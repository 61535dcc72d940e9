/** Event types available as a filter, in the order of the server's list. A test compares them. */
export const ACTS = [
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

const DAY_MS = 24 * 60 * 60_000;

/** Converts the days of two date inputs to the times between which events are listed. The last day is included. */
export function timesOf(from: string, until: string): { readonly from?: string; readonly until?: string } {
  const end = Date.parse(`${until}T00:00:00Z`) + DAY_MS;
  return {
    ...(Number.isNaN(Date.parse(`${from}T00:00:00Z`)) ? {} : { from: `${from}T00:00:00Z` }),
    ...(Number.isNaN(end) ? {} : { until: new Date(end).toISOString() }),
  };
}
