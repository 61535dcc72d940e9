import { BlockList, isIP, SocketAddress } from 'node:net';
import { countedAddress } from '@baobab/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Proxies whose `X-Forwarded-For` or `Forwarded` is trusted: the number of hops in front of the server (0: none), or
 * networks and addresses such as `10.0.0.0/8`.
 */
export type TrustedProxies = number | readonly string[];

type Family = 'ipv4' | 'ipv6';

/** Node of RFC 7239, section 6: an address with an optional port, which may be obfuscated. */
const NODE = /^"?(?:\[([^\]]+)\]|([^:[\]"]+))(?::(?:\d{1,5}|_[\w.-]+))?"?$/;
/** IPv6 address without brackets, as many proxies write it in `X-Forwarded-For`. It cannot have a port. */
const BARE_IPV6 = /^"?([\da-f:.]*:[\da-f:.]*:[\da-f:.]*)"?$/i;
/** Interface of a link-local address. */
const ZONE = /%[\w.-]+(?=$|\]|")/;

/** Returns the normalized IP address, or null for anything else, such as `unknown` or an obfuscated name. */
function addressIn(text: string): string | null {
  const node = text.replace(ZONE, '');
  const [, bare] = BARE_IPV6.exec(node) ?? [];
  const [, bracketed, plain] = bare === undefined ? (NODE.exec(node) ?? []) : [];
  const address = bare ?? bracketed ?? plain ?? '';
  const version = isIP(address);
  if (version === 4) return bracketed === undefined ? address : null;
  return version === 6 ? new SocketAddress({ address, family: 'ipv6' }).address : null;
}

const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** @throws if an entry is neither a network nor an address */
function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

/** Returns Fastify's test of trusted proxies, or `false` if none are trusted. */
export function trustFunction(trusted: TrustedProxies): false | ((node: string | undefined, hop: number) => boolean) {
  if (typeof trusted === 'number') return trusted > 0 && ((_node, hop) => hop < trusted);
  const list = listOf(trusted);
  return (node) => {
    const address = addressIn(node ?? '');
    return address !== null && list.check(address, familyOf(address));
  };
}

/**
 * Parameter of `Forwarded` (RFC 7239, section 4) with its delimiter. Addresses with ports are accepted without quotes.
 */
const PARAMETER = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))[ \t]*)?([;,]|$)/y;

/**
 * Returns the nodes of `Forwarded` in the format of `X-Forwarded-For`. Null if the header is malformed, since a client
 * may have opened a quote to hide the proxy's part.
 */
function forwardedNodes(header: string): string | null {
  const nodes: string[] = [];
  let node: string | null = null;
  PARAMETER.lastIndex = 0;
  while (PARAMETER.lastIndex < header.length) {
    const parameter = PARAMETER.exec(header);
    if (parameter === null) return null;
    const [, name, quoted, token = '', end] = parameter;
    if (name !== undefined) node ??= 'unknown';
    if (name?.toLowerCase() === 'for') node = quoted ?? token;
    if (node === null || (end === ';' && PARAMETER.lastIndex < header.length)) continue;
    nodes.push(/[\s,]/.test(node) ? 'unknown' : node);
    node = null;
  }
  return nodes.join(', ');
}

/** Copies `Forwarded` to `X-Forwarded-For` if a request has only the former. */
export function readForwarded(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    if (headers.forwarded !== undefined && headers['x-forwarded-for'] === undefined) {
      headers['x-forwarded-for'] = forwardedNodes(headers.forwarded) ?? undefined;
    }
    done();
  });
}

/**
 * Returns the client's address as rate limits count it, for all purposes. If a proxy does not name the client
 * (`unknown`, an obfuscated name), this is the proxy's address.
 */
export function clientAddress(request: FastifyRequest): string {
  const chain = request.ips;
  if (chain === undefined) return countedAddress(request.ip);
  for (const node of chain.toReversed()) {
    const address = addressIn(node ?? '');
    if (address !== null) return countedAddress(address);
  }
  return '';
}
