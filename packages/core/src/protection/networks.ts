/** Number of groups of an IPv6 address in a /48. */
const SITE_GROUPS = 3;

/**
 * Returns the prefix of a client's address for session lists and audit events, such as `192.0.2.0/24`. Users recognize
 * their providers, and nobody can be traced by it. Null if there is no address.
 *
 * @param address as returned by `countedAddress`
 */
export function networkOf(address: string): string | null {
  if (address === '') return null;
  if (!address.includes(':')) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const site = address.split(':').slice(0, SITE_GROUPS).join(':');
  return `${site.replace(/(?:^|:)0(?::0)*$/, '')}::/48`;
}

const IPV4_IN_IPV6 = '::ffff:';
const IPV6_GROUPS = 8;

/** Returns the first 64 bits of an IPv6 address in a canonical spelling. */
function ipv6Network(ip: string): string {
  const [before = [], after] = ip.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const omitted = after === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length);
  const groups = [...before, ...Array.from({ length: omitted }, () => '0'), ...(after ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Returns a client's IP address as counted by rate limits. In IPv6 a whole /64 counts as one client. */
export function countedAddress(address: string): string {
  const ip = address.toLowerCase();
  if (ip.startsWith(IPV4_IN_IPV6)) return ip.slice(IPV4_IN_IPV6.length);
  return ip.includes(':') ? ipv6Network(ip) : ip;
}
