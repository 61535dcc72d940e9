import { texts } from '../texts.ts';

const TOO_LARGE = 413;
const GATEWAY_TIMEOUT = 504;
/** Statuses of a proxy without a connection to the server. */
const NOT_REACHED: ReadonlySet<number> = new Set([502, 503]);
/** Status of a network that requires a sign-in. */
const CAPTIVE = 511;
const FIRST_FAILURE = 400;

/** Returns the message for a response that is not the server's, in the language of the texts. */
export function unexpectedText(status: number, { proxy, unexpected } = texts.failure): string {
  if (status === TOO_LARGE) return proxy.tooLarge;
  if (status === GATEWAY_TIMEOUT) return proxy.tooSlow;
  if (NOT_REACHED.has(status)) return proxy.notReached(status);
  return status < FIRST_FAILURE || status === CAPTIVE ? proxy.otherPage(status) : unexpected(status);
}
