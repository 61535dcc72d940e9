import { type AccessScope, EVERYBODY, RIGHTS, userPrincipal } from '../access.ts';
import { type Actor, accessScopeOf, createActor } from '../actor.ts';
import { openTo, type Policies, type PoliciesReader } from '../collections/policies.ts';
import type { ErrorCode } from '../errors.ts';
import { keyActorOf } from '../keys/key-authentication.ts';
import { addressKey } from '../names/email-address.ts';
import { userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserWithGroups } from '../ports/storage/users.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';

/** A caller as a reader of the feed: what they may read. */
export interface FeedReader {
  readonly actor: Actor;
  /** What they may read whatever the rules are: `ruled` is 0. */
  readonly scope: AccessScope;
  /** Keys of the collections whose rules let them read every document. */
  readonly openCollections: readonly string[];
  /** The hash of the password with which a caller without a session proved who they are; null for other callers. */
  readonly passwordHash: string | null;
}

/** What the reader may read in one collection. */
export const scopeIn = ({ scope, openCollections }: FeedReader, collection: string): AccessScope =>
  openCollections.includes(collection) ? { ...scope, ruled: RIGHTS.read } : scope;

/** Those among whom a visibility mark has to be for it to concern the reader. */
export function visibilityAudiences({ actor: { user, principals }, scope }: FeedReader): readonly string[] {
  const own = user === null ? [] : [userPrincipal(user.id)];
  return [...(scope.everything ? own : principals), EVERYBODY];
}

/** Why a stream of this caller ends when they may no longer have it. */
export function refusalOf({ sessionId, key }: Actor): ErrorCode {
  if (key !== null) return 'key.invalid';
  return sessionId === null ? 'auth.invalid' : 'session.invalid';
}

type Loaded = Pick<FeedReader, 'actor' | 'passwordHash'>;

const readerBy = (loaded: Loaded, values: SettingValues, policies: Policies): FeedReader => ({
  ...loaded,
  scope: accessScopeOf(loaded.actor, values['followers.read.documents']),
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
    const found = keyActorOf(await storage.serverKeys.find(id), clock.now());
    return found === null ? null : { actor: found, passwordHash: null };
  }

  /** As if the Basic credentials were sent again, except for the password, which the caller compares. */
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
    /** As far as this process knows. */
    async known(actor: Actor): Promise<FeedReader> {
      return readerBy({ actor, passwordHash: null }, await settings.current(), await policies.current());
    },

    /** As it is stored now, whatever this process has cached; null when the caller may no longer read as this user. */
    async stored(actor: Actor): Promise<FeedReader | null> {
      const loaded = await load(actor);
      return loaded === null ? null : readerBy(loaded, await settings.fresh(), await policies.fresh());
    },
  };
}
