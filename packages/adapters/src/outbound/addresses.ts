import { BlockList, isIP } from 'node:net';

/** IPv4 addresses that are not public, with their use (IANA's registry of special-purpose addresses). */
const IPV4: readonly (readonly [network: string, prefix: number, what: string])[] = [
  ['0.0.0.0', 8, 'this host'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by a provider'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local, where cloud providers serve metadata'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved for documentation'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved for benchmarks'],
  ['198.51.100.0', 24, 'reserved for documentation'],
  ['203.0.113.0', 24, 'reserved for documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

/** Networks within the public range of IPv6 (2000::/3) that are not public. */
const IPV6: readonly (readonly [network: string, prefix: number, what: string])[] = [
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'reserved for documentation'],
  ['2002::', 16, 'reserved'],
  ['3fff::', 20, 'reserved for documentation'],
];

function blocks(family: 'ipv4' | 'ipv6', networks: typeof IPV4) {
  return networks.map(([network, prefix, what]) => {
    const list = new BlockList();
    list.addSubnet(network, prefix, family);
    return { list, what };
  });
}

const BLOCKS = { ipv4: blocks('ipv4', IPV4), ipv6: blocks('ipv6', IPV6) };
const PUBLIC_IPV6 = new BlockList();
PUBLIC_IPV6.addSubnet('2000::', 3, 'ipv6');
/** Addresses whose last 32 bits are an IPv4 address, to which the connection goes. */
const EMBEDDED = new BlockList();
EMBEDDED.addSubnet('::ffff:0:0', 96, 'ipv6');
EMBEDDED.addSubnet('64:ff9b::', 96, 'ipv6');

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
function embeddedIn(address: string): string {
  // The URL parser normalizes IPv6 addresses to hexadecimal groups.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':').slice(-2);
  return groups
    .flatMap((group) => {
      const value = Number.parseInt(group === '' ? '0' : group, 16);
      return [value >> 8, value & 255];
    })
    .join('.');
}

const blockOf = (family: 'ipv4' | 'ipv6', address: string) =>
  BLOCKS[family].find(({ list }) => list.check(address, family))?.what ?? null;

/** Returns the special use of an IP address, or null if it is public. */
export function specialUse(address: string): string | null {
  const [bare = ''] = address.split('%');
  const family = isIP(bare);
  if (family === 4) return blockOf('ipv4', bare);
  if (family !== 6) return 'no IP address';
  if (EMBEDDED.check(bare, 'ipv6')) return specialUse(embeddedIn(bare));
  if (PUBLIC_IPV6.check(bare, 'ipv6')) return blockOf('ipv6', bare);
  return bare === '::1' ? 'loopback' : 'private or reserved';
}
