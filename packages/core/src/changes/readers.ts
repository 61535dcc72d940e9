import { type AccessScope, EVERYBODY, isByDocument, RIGHTS, userPrincipal } from '../access.ts';
import { type Actor, accessScopeOf, createActor } from '../actor.ts';
import { openTo, type Policies, type PoliciesReader, rulesFor } from '../collections/policies.ts';
import type { ErrorCode } from '../errors.ts';
import { keyActorOf } from '../keys/key-authentication.ts';
import { addressKey } from '../names/email-address.ts';
import { userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserWithGroups } from '../ports/storage/users.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';

/** A reader of the feed: a caller with their permissions. */
export interface FeedReader {
  readonly actor: Actor;
  /** Permissions apart from `openCollections`: `ruled` is 0. */
  readonly scope: AccessScope;
  /** Keys of the collections whose rules allow the reader to read every document. */
  readonly openCollections: readonly string[];
  /** Password hash with which a caller without a session was authenticated; null for other callers. */
  readonly passwordHash: string | null;
}

/** Returns the reader's permissions in one collection. */
export const scopeIn = ({ scope, openCollections }: FeedReader, collection: string): AccessScope =>
  openCollections.includes(collection) ? { ...scope, ruled: RIGHTS.read } : scope;

/** Returns true if the reader's permissions in these collections (null: in all) depend on the documents. */
export function readsByDocument({ scope: { rules } }: FeedReader, collections: readonly string[] | null): boolean {
  const keys = rules === undefined ? [] : (collections ?? Array.from(rules.keys()));
  return keys.some((key) => isByDocument(rules?.get(key)));
}

/** Returns the audiences of visibility marks that affect the reader. */
export function visibilityAudiences({ actor: { user, principals }, scope }: FeedReader): readonly string[] {
  const own = user === null ? [] : [userPrincipal(user.id)];
  return [...(scope.everything ? own : principals), EVERYBODY];
}

/** Returns the error with which this caller's stream ends when they may no longer have it. */
export function refusalOf({ sessionId, key }: Actor): ErrorCode {
  if (key !== null) return 'key.invalid';
  return sessionId === null ? 'auth.invalid' : 'session.invalid';
}

type Loaded = Pick<FeedReader, 'actor' | 'passwordHash'>;

const readerBy = (loaded: Loaded, values: SettingValues, policies: Policies): FeedReader => ({
  ...loaded,
  scope: accessScopeOf(loaded.actor, values['followers.read.documents'], 0, rulesFor(loaded.actor, policies, null)),
  openCollections: openTo(loaded.actor, policies),
});

const actorOf = ({ id, name, role, groups }: UserWithGroups, sessionId: string | null): Actor =>
  createActor({ id, name, role }, sessionId, groups);

export interface FeedReadersDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly settings: SettingsReader & { fresh(): Promise<SettingValues> };
  readonly policies: PoliciesReader & { fresh(): Promise<Policies> };
}

export function createFeedReaders({ storage, clock, settings, policies }: FeedReadersDeps) {
  async function loadKey(id: string): Promise<Loaded | null> {
    const found = keyActorOf(await storage.apiKeys.find(id), clock.now());
    return found === null ? null : { actor: found, passwordHash: null };
  }

  /** Reloads as if the Basic credentials were sent again, except for the password, which the caller compares. */
  async function loadByCredentials({ user, typedName = user?.name ?? '' }: Actor, userId: string) {
    const email = addressKey(typedName);
    const found = await storage.users.credentials(userKey(typedName), email);
    if (found?.id !== userId || found.status !== 'ACTIVE' || found.hasSecondFactor || found.awaitsEmail) return null;
    return { actor: { ...actorOf(found, null), typedName }, passwordHash: found.passwordHash };
  }

  async function load(actor: Actor): Promise<Loaded | null> {
    const { user, sessionId, key } = actor;
    if (key !== null) return loadKey(key.id);
    if (user === null) return { actor, passwordHash: null };
    if (sessionId === null) return loadByCredentials(actor, user.id);
    const found = await storage.sessions.find(sessionId);
    if (found?.user.status !== 'ACTIVE') return null;
    return { actor: actorOf(found.user, sessionId), passwordHash: null };
  }

  return {
    /** Returns the reader as known to this process. */
    async known(actor: Actor): Promise<FeedReader> {
      return readerBy({ actor, passwordHash: null }, await settings.current(), await policies.current());
    },

    /** Returns the reader as currently stored, bypassing caches; null if the caller may no longer read as this user. */
    async stored(actor: Actor): Promise<FeedReader | null> {
      const loaded = await load(actor);
      return loaded === null ? null : readerBy(loaded, await settings.fresh(), await policies.fresh());
    },
  };
}
