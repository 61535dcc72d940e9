import type { ErrorCode } from '../errors.ts';
import type { Gauges } from '../ports/gauges.ts';

/** Login method. `confirmation`: the password was requested again. */
export type LoginMethod =
  | 'password'
  | 'basic'
  | 'second_factor'
  | 'passkey'
  | 'social'
  | 'key'
  | 'mail'
  | 'confirmation';

/** Login failures with a separate time series. */
const REASONS: readonly ErrorCode[] = [
  'auth.invalid',
  'auth.code_invalid',
  'auth.email_unverified',
  'auth.method_disabled',
  'auth.challenge_invalid',
  'auth.passkey_invalid',
  'auth.passkey_cloned',
  'passkey.challenge_invalid',
  'auth.locked',
  'rate.limited',
  'social.refused',
  'social.suspended',
  'key.invalid',
  'user.old_password_invalid',
  'extension.refused',
];
/** All other failures. */
const OTHER = 'other';

/**
 * Returns true if a login that fails with this code was rejected. Otherwise the server could not check it, or requires
 * a further step.
 */
export const isLoginFailure = (code: ErrorCode): boolean =>
  REASONS.includes(code) || (code.startsWith('auth.') && code !== 'auth.second_factor_required');

/** Counts failed logins by reason, with a bounded number of series. */
export function createLoginFailures(gauges: Gauges) {
  const counts = new Map<string, number>([...REASONS, OTHER].map((reason) => [reason, 0]));
  gauges.add({
    name: 'login_failures_total',
    help: 'Logins that failed, by the code of the failure',
    label: 'reason',
    read: () => counts,
  });

  return {
    count(reason: string): void {
      const series = counts.has(reason) ? reason : OTHER;
      counts.set(series, (counts.get(series) ?? 0) + 1);
    },
  };
}
