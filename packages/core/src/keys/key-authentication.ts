import { createKeyActor, type KeyActor } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { ServerKeyWithOwner } from '../ports/storage/server-keys.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { networkOf } from '../protection/networks.ts';
import { isAdministrator } from '../roles/roles.ts';

/** What every key begins with, so that people and scanners of code recognize it. */
export const KEY_PREFIX = 'bb_';
/** Two tokens of 22 characters: 256 random bits. */
const FORM = new RegExp(`^${KEY_PREFIX}[\\w-]{44}$`);
const CACHE_SIZE = 2_000;
/** Cached keys are read again after this time even without a signal. Milliseconds. */
const CACHE_LIFETIME_MS = 60_000;
/** The last use is recorded at most this often, milliseconds. */
const RECORD_INTERVAL_MS = 60_000;

interface CachedKey {
  readonly actor: KeyActor;
  readonly expires: number | null;
  /** When the entry was read from the storage, milliseconds. */
  readonly since: number;
  /** The last use recorded in the storage, milliseconds. */
  recorded: number;
}

/** The digest under which a key is stored. A key cannot be guessed, so the digest needs no secret. */
export const keyDigest = (secrets: Secrets, key: string) => secrets.fingerprint(`server key/${key}`);

const hasEnded = (expires: number | null, now: number) => expires !== null && now >= expires;

/** Who calls with a key as it is stored now; null when it is unknown, has expired, or its owner is no active administrator. */
export function keyActorOf(found: ServerKeyWithOwner | null, now: number): KeyActor | null {
  if (found === null || hasEnded(found.expires, now)) return null;
  const { id, role, owner } = found;
  if (owner.status !== 'ACTIVE' || !isAdministrator(owner.role)) return null;
  return createKeyActor({ id, owner: { id: owner.id, name: owner.name, role: owner.role } }, role);
}

export interface KeyAuthenticationDeps {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly audit: Audit;
}

export type KeyAuthentication = ReturnType<typeof createKeyAuthentication>;

/**
 * Authentication by server key. It is on the path of every request with one, so keys are cached: signals drop entries at
 * once on every node, and while signals do not arrive the cache is not used.
 */
export function createKeyAuthentication({ storage, secrets, clock, logger, audit }: KeyAuthenticationDeps) {
  const cache: BoundedCache<string, CachedKey> = createBoundedCache(CACHE_SIZE);
  /** Counts signals: an entry that was read before a signal is not cached after it. */
  let generation = 0;

  const unsubscribe = storage.signals.subscribe({
    topics: ['roles', 'user'],
    hear(signal) {
      generation++;
      if (signal?.topic !== 'user') cache.clear();
      else cache.deleteWhere(({ actor }) => actor.key.owner.id === signal.key);
    },
  });

  /** Runs in the background: the request does not wait for it, and after a failure the next use tries again. */
  function recordUse(cached: CachedKey, now: number): void {
    const before = cached.recorded;
    cached.recorded = now;
    storage.serverKeys.touch({ id: cached.actor.key.id, at: now, since: now - RECORD_INTERVAL_MS }).catch((err) => {
      cached.recorded = before;
      logger.warn({ err }, 'use of server key not recorded');
    });
  }

  function use(cached: CachedKey, now: number): KeyActor {
    if (now - cached.recorded >= RECORD_INTERVAL_MS) recordUse(cached, now);
    return cached.actor;
  }

  async function read(key: string): Promise<KeyActor> {
    if (!FORM.test(key)) throw new AppError('key.invalid');
    const before = generation;
    const found = await storage.serverKeys.findByDigest(keyDigest(secrets, key));
    const now = clock.now();
    const actor = keyActorOf(found, now);
    if (found === null || actor === null) throw new AppError('key.invalid');
    const cached = { actor, expires: found.expires, since: now, recorded: found.lastUsed ?? 0 };
    if (before === generation) cache.set(key, cached);
    return use(cached, now);
  }

  function fromCache(key: string): KeyActor | null {
    const cached = cache.get(key);
    if (cached === undefined) return null;
    const now = clock.now();
    const isYoung = now - cached.since < CACHE_LIFETIME_MS && now >= cached.since;
    if (isYoung && storage.signals.live && !hasEnded(cached.expires, now)) return use(cached, now);
    cache.delete(key);
    return null;
  }

  return {
    /**
     * Who calls with this key. Returns synchronously when the key is cached.
     *
     * @param addressOf the client's network address, where it is needed
     * @throws `key.invalid` (also as a rejection)
     */
    byKey(key: string, addressOf: () => string): KeyActor | Promise<KeyActor> {
      return fromCache(key) ?? audit.login({ method: 'key', network: networkOf(addressOf()) }, () => read(key));
    },

    /** Ends the subscription to signals. */
    dispose: unsubscribe,
  };
}
