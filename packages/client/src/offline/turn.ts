import { sleep } from '../transport/limits.ts';
import { randomKey } from '../transport/random.ts';
import type { OfflineStore } from './store.ts';

const LEASE_MS = 6_000;
const RENEWALS = 3;

interface Lease {
  readonly tab: string;
  /** Expiry, in milliseconds of the device's clock. */
  readonly until: number;
}

/** Work for one tab at a time. It ends when the signal fires. */
export type TurnWork = (signal: AbortSignal) => Promise<void>;

/** Claims or renews the lease. Resolves to true if this tab has it. */
async function claim(store: OfflineStore, key: string, tab: string, until: number): Promise<boolean> {
  let isOurs = false;
  await store.update([key], ([value]) => {
    const lease = value as Lease | undefined;
    // A lease longer than any valid one means that the clock has been set back since.
    const isFree = lease === undefined || lease.until < Date.now() || lease.until > Date.now() + 2 * LEASE_MS;
    isOurs = isFree || lease.tab === tab;
    return isOurs ? [[key, until === 0 ? undefined : ({ tab, until } satisfies Lease)]] : [];
  });
  return isOurs;
}

async function underLease(store: OfflineStore, key: string, tab: string, signal: AbortSignal, work: TurnWork) {
  const controller = new AbortController();
  const stop = () => controller.abort();
  signal.addEventListener('abort', stop);
  const renewal = setInterval(() => {
    claim(store, key, tab, Date.now() + LEASE_MS).then((isOurs) => isOurs || stop(), stop);
  }, LEASE_MS / RENEWALS);
  try {
    await work(controller.signal);
  } finally {
    clearInterval(renewal);
    signal.removeEventListener('abort', stop);
    await claim(store, key, tab, 0).catch(() => false);
  }
}

async function withLease(store: OfflineStore, key: string, signal: AbortSignal, work: TurnWork): Promise<void> {
  const tab = randomKey();
  while (!signal.aborted) {
    const isOurs = await claim(store, key, tab, Date.now() + LEASE_MS).catch(() => false);
    if (isOurs) await underLease(store, key, tab, signal, work);
    else await sleep(LEASE_MS / RENEWALS, signal).catch(() => undefined);
  }
}

/**
 * Does work in one tab at a time, under a browser lock or else a lease in the store. If two tabs work at the same time
 * after all, because one was asleep, the idempotency keys ensure that each write takes effect once.
 */
export async function inTurn(store: OfflineStore, userId: string, signal: AbortSignal, work: TurnWork): Promise<void> {
  let hasBegun = false;
  try {
    // In a sandboxed frame, the browser refuses the lock.
    await navigator.locks.request(`baobab:${store.name}:${userId}`, { signal }, () => {
      hasBegun = true;
      return work(signal);
    });
  } catch (error) {
    if (signal.aborted) return;
    if (hasBegun) throw error;
    await withLease(store, `lease/${userId}`, signal, work);
  }
}
