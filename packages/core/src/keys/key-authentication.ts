import { isAdministrator } from '../access.ts';
import { createKeyActor, type KeyActor } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { type BoundedCache, createBoundedCache, isFresh } from '../caches.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { ApiKeyWithOwner } from '../ports/storage/api-keys.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { networkOf } from '../protection/limits.ts';

/** Prefix of every key, by which people and code scanners recognize it. */
export const KEY_PREFIX = 'bb_';
/** Two tokens of 22 characters: 256 random bits. */
const FORM = new RegExp(`^${KEY_PREFIX}[\\w-]{44}$`);
const CACHE_SIZE = 2_000;
/** Minimum interval of recording the last use, in milliseconds. */
const RECORD_INTERVAL_MS = 60_000;

interface CachedKey {
  readonly actor: KeyActor;
  readonly expires: number | null;
  /** Time at which the entry was read from the storage, in milliseconds. */
  readonly since: number;
  /** Last use recorded in the storage, in milliseconds. */
  recorded: number;
}

/** Returns the digest under which a key is stored. Needs no secret, because keys cannot be guessed. */
export const keyDigest = (secrets: Secrets, key: string) => secrets.fingerprint(`api key/${key}`);

const hasEnded = (expires: number | null, now: number) => expires !== null && now >= expires;

/**
 * Returns the actor of a stored key; null if the key is unknown or expired, or its owner is not an active
 * administrator.
 */
export function keyActorOf(found: ApiKeyWithOwner | null, now: number): KeyActor | null {
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
 * Authenticates by API key. Every request with one does this, so keys are cached. Signals drop entries immediately on
 * every node, and while signals do not arrive the cache is not used.
 */
export function createKeyAuthentication({ storage, secrets, clock, logger, audit }: KeyAuthenticationDeps) {
  const cache: BoundedCache<string, CachedKey> = createBoundedCache(CACHE_SIZE);
  /** Number of signals. An entry read before a signal is not cached after it. */
  let generation = 0;

  const unsubscribe = storage.signals.subscribe({
    topics: ['roles', 'user'],
    hear(signal) {
      generation++;
      if (signal?.topic !== 'user') cache.clear();
      else cache.deleteWhere(({ actor }) => actor.key.owner.id === signal.key);
    },
  });

  /** Records the use in the background, without delaying the request. After a failure the next use tries again. */
  function recordUse(cached: CachedKey, now: number): void {
    const before = cached.recorded;
    cached.recorded = now;
    storage.apiKeys.touch({ id: cached.actor.key.id, at: now, since: now - RECORD_INTERVAL_MS }).catch((err) => {
      cached.recorded = before;
      logger.warn({ err }, 'use of API key not recorded');
    });
  }

  function use(cached: CachedKey, now: number): KeyActor {
    if (now - cached.recorded >= RECORD_INTERVAL_MS) recordUse(cached, now);
    return cached.actor;
  }

  async function read(key: string): Promise<KeyActor> {
    if (!FORM.test(key)) throw new AppError('key.invalid');
    const before = generation;
    const found = await storage.apiKeys.findByDigest(keyDigest(secrets, key));
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
    if (isFresh(cached.since, now, storage.signals) && !hasEnded(cached.expires, now)) return use(cached, now);
    cache.delete(key);
    return null;
  }

  return {
    /**
     * Returns the actor of this key. Synchronous if the key is cached.
     *
     * @param addressOf returns the network address of the client, if needed
     * @throws `key.invalid` (also as a rejection)
     */
    byKey(key: string, addressOf: () => string): KeyActor | Promise<KeyActor> {
      return (
        fromCache(key) ??
        read(key).catch((error: unknown) => {
          audit.loginFailed(error, { method: 'key', network: networkOf(addressOf()), to: null });
          throw error;
        })
      );
    },

    /** Unsubscribes from signals. */
    dispose: unsubscribe,
  };
}
