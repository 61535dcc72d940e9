import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

/**
 * `uri-host [":" port]` (RFC 3986, section 3.2.2) of a name or an IPv4 address. The host of an `http` URI is never
 * empty.
 */
const NAME_AND_PORT = /^(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+(?::\d{0,5})?$/i;
const IPV6_AND_PORT = /^\[([\da-f:.]+)\](?::\d{0,5})?$/i;

const HOST = 'host';

/** Last valid host, cached because almost all requests have the same one. */
let known = '';

function isHost(value: string): boolean {
  const [, address] = IPV6_AND_PORT.exec(value) ?? [];
  const isValid = NAME_AND_PORT.test(value) || (address !== undefined && isIPv6(address));
  if (isValid) known = value;
  return isValid;
}

/** Counts `Host` headers. Node drops all but the first, so only the raw headers show them. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name !== undefined && name.length === HOST.length && name.toLowerCase() === HOST) count++;
  }
  return count;
}

/** Returns the problem with the `Host` header of a request (RFC 9112, section 3.2), or null. */
export function hostProblem({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): string | null {
  const { host } = headers;
  if (host === undefined) return httpVersionMinor === 0 ? null : 'the header Host is missing';
  if (countHosts(rawHeaders) > 1) return 'the header Host must be sent once';
  return host === known || isHost(host)
    ? null
    : 'the header Host must be a host name or an address, with or without a port';
}
