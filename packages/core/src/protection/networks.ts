/** Groups of an IPv6 address in a /48. */
const SITE_GROUPS = 3;

/**
 * The prefix of a client's address that lists of sessions and audit events show, such as `192.0.2.0/24`: users recognize
 * their providers, and nobody can be traced by it. Null where there is no address.
 *
 * @param address an IPv4 address, or the first 64 bits of an IPv6 address
 */
export function networkOf(address: string): string | null {
  if (address === '') return null;
  if (!address.includes(':')) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  const site = address.split(':').slice(0, SITE_GROUPS).join(':');
  return `${site.replace(/(?:^|:)0(?::0)*$/, '')}::/48`;
}
