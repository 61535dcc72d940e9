import type { BaobabError, ErrorCode } from '../errors.ts';

/**
 * Rule for repeating a call whose outcome is unknown. `always`: the call is idempotent. `never`: it must not be
 * repeated. A list of codes: the call may be repeated, and a repetition that fails with one of them proves that the
 * first attempt took effect.
 */
type Repeat = 'always' | 'never' | readonly ErrorCode[];

export interface Repeatable {
  readonly repeat: Repeat;
  /** True if the body can be sent only once. */
  readonly isOneUse?: boolean | undefined;
}

/** The server refused the call before it had any effect. */
const REFUSED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'blobs.unavailable',
  'document.busy',
  'idempotency.busy',
  'image.busy',
  'passwords.busy',
  'rate.limited',
  'service.answers_unread',
  'service.bodies_busy',
  'service.stopping',
  'social.busy',
]);
/** The call may have taken effect, or may still do so. */
const UNKNOWN: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'client.network',
  'client.timeout',
  'service.overdue',
  'storage.unavailable',
]);
/** Statuses of a proxy that has lost its connection to the server. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Returns true if the server temporarily refused the call, before it had any effect. */
export const isRefused = ({ code }: BaobabError) => REFUSED.has(code);

/** Returns true if the failed call may have taken effect. */
export const isLost = ({ code, status }: BaobabError) =>
  UNKNOWN.has(code) || (code === 'client.answer' && (status < 400 || GATEWAY.has(status)));

/** Returns true if a retry is safe and may succeed. */
export const mayRepeat = ({ repeat, isOneUse = false }: Repeatable, error: BaobabError) =>
  !isOneUse && (REFUSED.has(error.code) || (isLost(error) && repeat !== 'never'));

/** Returns true if the failure of a repeated call proves that an earlier attempt took effect. */
export const isSettled = ({ repeat }: Repeatable, { code }: BaobabError) =>
  typeof repeat !== 'string' && repeat.includes(code);

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
const LONGEST_ASKED_MS = 30_000;

/**
 * Returns the pause before the next attempt, with full jitter; null if the server requests a longer one than a user
 * would wait.
 */
export function waitBefore(
  attempt: number,
  { retryAfter }: Pick<BaobabError, 'retryAfter'>,
  random = Math.random,
): number | null {
  const asked = (retryAfter ?? 0) * 1000;
  if (asked > LONGEST_ASKED_MS) return null;
  return asked + random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}
