import { BlockList, isIP, SocketAddress } from 'node:net';
import { countedAddress } from '@baobab/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * The proxies whose `X-Forwarded-For` or `Forwarded` is believed: the number of hops in front of the service (0: none),
 * or networks and addresses such as `10.0.0.0/8`.
 */
export type TrustedProxies = number | readonly string[];

type Family = 'ipv4' | 'ipv6';

/** A node of RFC 7239, section 6: an address with or without a port. The port may be obfuscated. */
const NODE = /^"?(?:\[([^\]]+)\]|([^:[\]"]+))(?::(?:\d{1,5}|_[\w.-]+))?"?$/;
/** An IPv6 address without brackets, as many proxies write it into `X-Forwarded-For`. It cannot have a port. */
const BARE_IPV6 = /^"?([\da-f:.]*:[\da-f:.]*:[\da-f:.]*)"?$/i;
/** The interface of a link-local address. */
const ZONE = /%[\w.-]+(?=$|\]|")/;

/** The IP address in one spelling. Null: none, which includes `unknown` and obfuscated names. */
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

/** @throws when one is neither a network nor an address */
function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

/** Whether the hop at a distance from the service is a trusted proxy, for Fastify. `false`: no proxy is. */
export function trustFunction(trusted: TrustedProxies): false | ((node: string | undefined, hop: number) => boolean) {
  if (typeof trusted === 'number') return trusted > 0 && ((_node, hop) => hop < trusted);
  const list = listOf(trusted);
  return (node) => {
    const address = addressIn(node ?? '');
    return address !== null && list.check(address, familyOf(address));
  };
}

/** A parameter of `Forwarded` (RFC 7239, section 4) and what ends it. Addresses with ports are accepted without quotes. */
const PARAMETER = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]+))[ \t]*)?([;,]|$)/y;

/**
 * The nodes of `Forwarded`, as `X-Forwarded-For` would list them. Null when the header breaks the grammar: a client may
 * have opened a quote to hide what the proxy added.
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

/** Has requests that carry `Forwarded` and no `X-Forwarded-For` treated as if a proxy had written the latter. */
export function readForwarded(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    if (headers.forwarded !== undefined && headers['x-forwarded-for'] === undefined) {
      headers['x-forwarded-for'] = forwardedNodes(headers.forwarded) ?? undefined;
    }
    done();
  });
}

/**
 * The client's address as rate limits count it, for everything that needs one. Where a proxy does not name the client
 * (`unknown`, an obfuscated name), this is the address of that proxy.
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
