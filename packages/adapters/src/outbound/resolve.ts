import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns the addresses of a name. @throws if it has none */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

const QUERY_LIMIT_MS = 2_000;
const QUERIES = 2;
/** Errors of an unknown name, or one without addresses. */
const UNKNOWN: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

/**
 * Resolves names by querying the name servers directly. The system's function occupies one of the few threads of the
 * process until slow name servers respond. It is called only for names that they do not know, such as those in
 * /etc/hosts.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: QUERY_LIMIT_MS, tries: QUERIES });
  return async (name) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (found.length > 0) return found;
    if (four.status === 'rejected' && !UNKNOWN.has(codeOf(four.reason))) throw four.reason;
    return lookup(name, { all: true });
  };
}

/** Connection to an address that is not allowed. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * Creates the lookup function of sockets, which returns only allowed addresses, at every connection.
 *
 * @param problemOf returns the reason to refuse an address, or null
 */
export function guardedLookup(resolve: Resolve, problemOf: (address: string) => string | null): LookupFunction {
  async function allowed(name: string): Promise<readonly ResolvedAddress[]> {
    const addresses = await resolve(name);
    const open = addresses.filter(({ address }) => problemOf(address) === null);
    const [first] = addresses;
    if (open.length > 0) return open;
    if (first === undefined) throw new Error(`${name} has no address`);
    throw new RefusedAddress(`${name} has the address ${first.address}: ${problemOf(first.address)}`);
  }

  return (name, options, callback) => {
    allowed(name).then(
      (open) => {
        const [first] = open;
        if (options.all === true) callback(null, [...open]);
        else if (first !== undefined) callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
