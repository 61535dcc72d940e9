import { isIP } from 'node:net';

const HOPS = /^[1-9]\d?$/;
const PREFIX = /^\d{1,3}$/;
/** Named networks of Express and Fastify. */
const NAMED: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
]);

export const TRUST_PROXY_FORMS =
  'on, off, a number of proxies from 1 to 99, or networks and addresses such as 10.0.0.0/8, ::1, loopback, separated by commas';

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  // A network that contains every address would let clients choose their address.
  return (
    prefix === undefined || (PREFIX.test(prefix) && Number(prefix) > 0 && Number(prefix) <= (version === 4 ? 32 : 128))
  );
}

/**
 * Parses `TRUST_PROXY`: the number of proxies in front of the server, or their networks. Returns null if it is invalid.
 */
export function parseTrustProxy(text: string): number | readonly string[] | null {
  if (text === 'off') return 0;
  if (text === 'on') return 1;
  if (HOPS.test(text)) return Number(text);
  const networks = text.split(',').flatMap((network) => NAMED.get(network.trim()) ?? [network.trim()]);
  return networks.every(isNetwork) ? networks : null;
}
