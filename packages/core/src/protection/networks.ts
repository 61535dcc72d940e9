/** Groups of an IPv6 address in a /48. */
const SITE_GROUPS = 3;

/**
 * The prefix of a client's address that lists of sessions and audit events show, such as `192.0.2.0/24`: users recognize
 * their providers, and nobody can be traced by it. Null where there is no address.
 *
 * @param address as `countedAddress` returns it
 */
export function networkOf(address: string): string | null {
  if (address === '') return null;
  if (!address.includes(':')) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const site = address.split(':').slice(0, SITE_GROUPS).join(':');
  return `${site.replace(/(?:^|:)0(?::0)*$/, '')}::/48`;
}

const IPV4_IN_IPV6 = '::ffff:';
const IPV6_GROUPS = 8;

/** The first 64 bits of an IPv6 address in one canonical spelling. */
function ipv6Network(ip: string): string {
  const [before = [], after] = ip.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const omitted = after === undefined ? 0 : Math.max(0, IPV6_GROUPS - before.length - after.length);
  const groups = [...before, ...Array.from({ length: omitted }, () => '0'), ...(after ?? [])];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** A client's IP address as rate limits count it. In IPv6 a whole /64 counts as one client. */
export function countedAddress(address: string): string {
  const ip = address.toLowerCase();
  if (ip.startsWith(IPV4_IN_IPV6)) return ip.slice(IPV4_IN_IPV6.length);
  return ip.includes(':') ? ipv6Network(ip) : ip;
}
