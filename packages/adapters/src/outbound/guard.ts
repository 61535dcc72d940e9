import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { specialUse } from './addresses.ts';
import { hostOf, opened, type Proxies, proxyFor, tunnel } from './proxies.ts';
import { createResolve, guardedLookup, RefusedAddress, type Resolve } from './resolve.ts';

export interface GuardOptions {
  /** Whether addresses that are not public are allowed. */
  readonly allowsPrivate: boolean;
  /** The environment variable that allows them, for messages. */
  readonly variable: string;
  readonly proxies?: Proxies | null;
  /** Replaces the name servers. */
  readonly resolve?: Resolve;
  /** What an address is, if it is refused; replaces the list of addresses that are not public. */
  readonly specialUse?: (address: string) => string | null;
}

/** Which hosts may be reached whose names administrators configure while the server runs. */
export interface Guard {
  /** Why the host is refused, as far as its name alone says; null when it is not. */
  problemOf(host: string): string | null;
  /** Looks up names for sockets, and gives them allowed addresses only. */
  readonly lookup: LookupFunction;
  /** Call before each request: sockets look up neither addresses nor hosts behind a proxy. @throws `RefusedAddress` */
  check(url: URL): Promise<void>;
}

const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/i;

export function createGuard(options: GuardOptions): Guard {
  const { allowsPrivate, variable, proxies = null, resolve = createResolve() } = options;
  const useOf = options.specialUse ?? specialUse;

  function problemOfAddress(address: string): string | null {
    const use = allowsPrivate ? null : useOf(address);
    return use === null ? null : `it is not public (${use}); ${variable}=on allows it`;
  }

  function problemOf(host: string): string | null {
    if (isIP(host) === 0) {
      const isLocal = LOCAL_NAME.test(host) && !allowsPrivate;
      return isLocal ? `${host}: it is this host; ${variable}=on allows it` : null;
    }
    const problem = problemOfAddress(host);
    return problem === null ? null : `${host}: ${problem}`;
  }

  /** The proxy resolves the name itself. A name that has a private address here is refused; an unknown one is not. */
  async function checkBehindProxy(host: string): Promise<void> {
    if (allowsPrivate || isIP(host) !== 0) return;
    const addresses = await resolve(host).catch(() => []);
    for (const { address } of addresses) {
      const problem = problemOfAddress(address);
      if (problem !== null) throw new RefusedAddress(`${host} has the address ${address}: ${problem}`);
    }
  }

  return {
    problemOf,
    lookup: guardedLookup(resolve, problemOfAddress),
    async check(url) {
      const host = hostOf(url);
      const problem = problemOf(host);
      if (problem !== null) throw new RefusedAddress(problem);
      if (proxyFor(url, proxies) !== null) await checkBehindProxy(host);
    },
  };
}

export interface GuardedSocketOptions {
  readonly guard: Guard;
  readonly proxies: Proxies | null;
  readonly signal: AbortSignal;
}

export interface OpenedSocket {
  readonly socket: Socket;
  /** Whether the other end is on this machine. */
  readonly isLocal: boolean;
}

/**
 * Opens a connection, through a proxy where the environment names one.
 *
 * @throws `RefusedAddress`, and the system's error when the connection fails
 */
export async function openSocket(host: string, port: number, options: GuardedSocketOptions): Promise<OpenedSocket> {
  const { guard, proxies, signal } = options;
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const url = new URL(`https://${target}`);
  await guard.check(url);
  const proxy = proxyFor(url, proxies);
  if (proxy !== null) return { socket: await tunnel(proxy, target, signal), isLocal: false };
  const socket = await opened(connect({ host, port, lookup: guard.lookup }), 'connect', signal);
  return { socket, isLocal: specialUse(socket.remoteAddress ?? '') === 'loopback' };
}
