import type { Actor } from '../actor.ts';
import { AppError } from '../errors.ts';
import { networkOf } from '../protection/limits.ts';
import type { SettingsReader } from '../settings/settings.ts';

/** Maximum share of all places for clients of one network. */
const NETWORK_SHARE = 1 / 4;
/** Share of all places reserved for administrators. */
const RESERVED_SHARE = 1 / 10;
const RETRY_USER_S = 10;
const RETRY_NODE_S = 5;

/** Counts by key. Only counts above zero take memory. */
function createTally<Key>() {
  const counts = new Map<Key, number>();
  return {
    of: (key: Key) => counts.get(key) ?? 0,
    add(key: Key, change: 1 | -1): void {
      const count = (counts.get(key) ?? 0) + change;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
}

/** Limits what is open in this process: in total, for each caller, and for each network. @param most in total */
export function createReservations(settings: SettingsReader, most: number) {
  /** Number by user or address, including those being opened. */
  const perCaller = createTally<string>();
  /** The same by network; null for all clients with an unknown address. */
  const perNetwork = createTally<string | null>();
  const mostPerNetwork = Math.ceil(most * NETWORK_SHARE);
  const mostForUsers = most - Math.floor(most * RESERVED_SHARE);
  let reserved = 0;

  return {
    /** Number of reserved places. */
    count: () => reserved,

    /**
     * Reserves a place. Returns a function that releases it.
     *
     * @throws `changes.too_many_streams`, `changes.too_many_from_network`, `changes.unavailable`
     */
    async reserve({ user, key, isAdmin }: Actor, address: string): Promise<() => void> {
      const [caller, network] = [user?.id ?? key?.id ?? address, networkOf(address)];
      const mostPerCaller = (await settings.current())['changes.streams.per.user'];
      if (perCaller.of(caller) >= mostPerCaller) {
        throw new AppError('changes.too_many_streams', {
          detail: `at most ${mostPerCaller}`,
          retryAfter: RETRY_USER_S,
        });
      }
      if (reserved >= (isAdmin ? most : mostForUsers)) {
        throw new AppError('changes.unavailable', { retryAfter: RETRY_NODE_S });
      }
      if (!isAdmin && perNetwork.of(network) >= mostPerNetwork) {
        const detail = `at most ${mostPerNetwork}`;
        throw new AppError('changes.too_many_from_network', { detail, retryAfter: RETRY_USER_S });
      }
      const add = (change: 1 | -1) => {
        perCaller.add(caller, change);
        if (!isAdmin) perNetwork.add(network, change);
        reserved += change;
      };
      add(1);
      return () => add(-1);
    },
  };
}
