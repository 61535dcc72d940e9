import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type Socket } from 'node:net';

/** Proxies for outgoing connections, from the environment. */
export interface Proxies {
  /** For `http:` URLs; null for none. */
  readonly http: string | null;
  /** For `https:` URLs and mail; null for none. */
  readonly https: string | null;
  /** Targets with direct connections: `NO_PROXY`. */
  readonly exceptions: string;
}

/** Returns a name or an address in lower case, without a trailing dot and without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, '');

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const LOOPBACK = ['localhost', '127.0.0.0/8', '::1'];

function isInNetwork(host: string, network: string, prefix: number): boolean {
  const [family, own] = [isIP(network), isIP(host)];
  if (family === 0 || family !== own || prefix > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Matches one entry of `NO_PROXY`: `*`, a name with its subdomains, an address or a network, each with an optional
 * port.
 */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, network = '', prefix] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (prefix !== undefined) return isInNetwork(host, network, Number(prefix));
  const [, bare = entry, only = port] = isIP(entry) === 6 ? [] : (/^(.+):(\d+)$/.exec(entry) ?? []);
  const name = bare.replace(/^\*?\.|^\[|\]$/g, '');
  return only === port && (host === name || host.endsWith(`.${name}`));
}

/** Returns the proxy for a URL, or null for a direct connection. This machine is never reached through a proxy. */
export function proxyFor(url: URL, proxies: Proxies | null): string | null {
  if (proxies === null) return null;
  const proxy = url.protocol === 'http:' ? proxies.http : proxies.https;
  if (proxy === null) return null;
  const entries = proxies.exceptions.toLowerCase().split(/[\s,]+/);
  const [host, port] = [hostOf(url), url.port || (DEFAULT_PORTS[url.protocol] ?? '')];
  const isDirect = [...entries, ...LOOPBACK].some((entry) => entry !== '' && covers(entry, host, port));
  return isDirect ? null : proxy;
}

/** Returns the URL of a proxy without its credentials, for messages. */
export const shownProxy = (proxy: string): string => new URL(proxy).origin;

function credentialsIn({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}

/** Waits for a connection. Its user receives later failures anyway, and they must not be uncaught before it listens. */
export async function opened<T extends Socket>(socket: T, event: string, signal: AbortSignal): Promise<T> {
  socket.on('error', () => undefined);
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/**
 * Opens a connection to `host:port` through a proxy (`CONNECT`, RFC 9110, section 9.3.6).
 *
 * @throws if the proxy is unreachable or refuses, or the signal is aborted
 */
export async function tunnel(proxy: string, target: string, signal: AbortSignal): Promise<Socket> {
  const url = new URL(proxy);
  const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)({
    host: hostOf(url),
    port: url.port || DEFAULT_PORTS[url.protocol],
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...credentialsIn(url) },
    agent: false,
  });
  try {
    request.end();
    const answer = await once(request, 'connect', { signal });
    const [{ statusCode }, socket, head] = answer as [IncomingMessage, Socket, Buffer];
    socket.on('error', () => undefined);
    if (statusCode === 200) {
      if (head.length > 0) socket.unshift(head);
      return socket;
    }
    socket.destroy();
    const message = `the proxy ${shownProxy(proxy)} answered ${statusCode}`;
    throw Object.assign(new Error(message), { code: 'EPROXY' });
  } catch (error) {
    request.on('error', () => undefined).destroy();
    throw error;
  }
}
