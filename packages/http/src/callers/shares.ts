import type { FastifyRequest } from 'fastify';
import { clientAddress } from './client-address.ts';

/** Share of a limit that one caller may use. */
const SHARE = 1 / 4;

/** Returns the caller whose share a request uses: the user, the API key, or else the address. */
export const callerOf = (request: FastifyRequest): string =>
  request.actor?.user?.id ?? request.actor?.key?.id ?? clientAddress(request);

export type Shares = ReturnType<typeof createShares>;

/** Counts bytes in the memory of this process by caller, so that one caller cannot use them up for the others. */
export function createShares(maxBytes: number) {
  const byCaller = new Map<string, number>();
  let bytes = 0;
  return {
    /** True if neither the limit nor the caller's share of it is reached. */
    hasRoom: (caller: string): boolean => bytes < maxBytes && (byCaller.get(caller) ?? 0) < maxBytes * SHARE,

    change(caller: string, by: number): void {
      bytes += by;
      const left = (byCaller.get(caller) ?? 0) + by;
      if (left === 0) byCaller.delete(caller);
      else byCaller.set(caller, left);
    },

    get bytes() {
      return bytes;
    },
  };
}
