import type { BaobabError, ErrorCode } from '../errors.ts';

/**
 * Whether a call may be repeated when nobody knows whether it took effect: `always`, because the second time changes
 * nothing, or `never`. A list of codes means that it may be repeated, and that a repetition that fails with one of them
 * shows that the first attempt took effect.
 */
type Repeat = 'always' | 'never' | readonly ErrorCode[];

export interface Repeatable {
  readonly repeat: Repeat;
  /** Whether the body can be sent only once. */
  readonly isOneUse?: boolean | undefined;
}

/** The service refused the call before it had any effect. */
const REFUSED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'blobs.unavailable',
  'document.busy',
  'idempotency.busy',
  'image.busy',
  'passwords.busy',
  'rate.limited',
  'service.answers_unread',
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
/** A proxy answers with these when it has lost the service. */
const GATEWAY: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether the service refused the call for the moment, before it had any effect. */
export const isRefused = ({ code }: BaobabError) => REFUSED.has(code);

/** Whether the call may have taken effect although it failed. */
export const isLost = ({ code, status }: BaobabError) =>
  UNKNOWN.has(code) || (code === 'client.answer' && (status < 400 || GATEWAY.has(status)));

/** Whether another attempt may succeed and does no harm. */
export const mayRepeat = ({ repeat, isOneUse = false }: Repeatable, error: BaobabError) =>
  !isOneUse && (REFUSED.has(error.code) || (isLost(error) && repeat !== 'never'));

/** Whether the failure of a repetition shows that an earlier attempt took effect. */
export const isSettled = ({ repeat }: Repeatable, { code }: BaobabError) =>
  typeof repeat !== 'string' && repeat.includes(code);

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;
const LONGEST_ASKED_MS = 30_000;

/** How long to wait before the next attempt, with full jitter; null when the service asks for more than a user waits. */
export function waitBefore(
  attempt: number,
  { retryAfter }: Pick<BaobabError, 'retryAfter'>,
  random = Math.random,
): number | null {
  const asked = (retryAfter ?? 0) * 1000;
  if (asked > LONGEST_ASKED_MS) return null;
  return asked + random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt);
}
