import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { specialUse } from './addresses.ts';
import { hostOf, opened, type Proxies, proxyFor, tunnel } from './proxies.ts';
import { createResolve, guardedLookup, RefusedAddress, type Resolve } from './resolve.ts';

export interface GuardOptions {
  /** True to allow private addresses. */
  readonly allowsPrivate: boolean;
  /** Environment variable that allows them, for messages. */
  readonly variable: string;
  readonly proxies?: Proxies | null;
  /** Replaces the name servers. */
  readonly resolve?: Resolve;
  /** Replaces the list of addresses that are not public. Returns the use of a refused address. */
  readonly specialUse?: (address: string) => string | null;
}

/** Access control for hosts whose names administrators configure while the server runs. */
export interface Guard {
  /** Returns the reason to refuse the host by its name alone, or null. */
  problemOf(host: string): string | null;
  /** Resolves names for sockets to allowed addresses only. */
  readonly lookup: LookupFunction;
  /**
   * Call this before each request, because sockets look up neither addresses nor hosts behind a proxy. @throws
   * `RefusedAddress`
   */
  check(url: URL): Promise<void>;
  /** Like `problemOf`, also by the addresses that the host has now. A name without addresses is not refused. */
  currentProblemOf(host: string): Promise<string | null>;
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

  /** Checks a host that the proxy resolves. A name with a private address here is refused; an unknown one is not. */
  async function checkBehindProxy(host: string): Promise<void> {
    if (allowsPrivate || isIP(host) !== 0) return;
    const addresses = await resolve(host).catch(() => []);
    for (const { address } of addresses) {
      const problem = problemOfAddress(address);
      if (problem !== null) throw new RefusedAddress(`${host} has the address ${address}: ${problem}`);
    }
  }

  const lookup = guardedLookup(resolve, problemOfAddress);

  return {
    problemOf,
    lookup,
    async currentProblemOf(host) {
      const problem = problemOf(host);
      if (problem !== null || allowsPrivate || isIP(host) !== 0) return problem;
      const failure = await new Promise<Error | null>((settle) => lookup(host, { all: true }, settle));
      return failure instanceof RefusedAddress ? failure.message : null;
    },
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
  /** True if the remote side is on this machine. */
  readonly isLocal: boolean;
}

/**
 * Opens a connection, through a proxy if the environment names one.
 *
 * @throws `RefusedAddress`, and the system's error if the connection fails
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
