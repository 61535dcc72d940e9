import { type Actor, ANONYMOUS, requireUser } from '../actor.ts';
import { type Audit, accountParty, userParty } from '../audit/audit.ts';
import { AppError, isAppError } from '../errors.ts';
import type { Hooks } from '../hooks/hooks.ts';
import { userKey } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { OAuthNetworks, OAuthPerson } from '../ports/oauth.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SessionOrigin } from '../ports/storage/sessions.ts';
import type { SocialLink } from '../ports/storage/social-links.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { RateLimiter } from '../protection/limits.ts';
import { type LoginData, registerDevice } from '../push/devices.ts';
import type { Authentication } from '../sessions/authentication.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import {
  type BeginningLogin,
  beginSession,
  type CompletedLogins,
  type LoggedIn,
  type LoginOrigin,
  mostSessionsOf,
  requireActive,
  type SignedIn,
} from '../sessions/logins.ts';
import { type SecondFactor, secondFactorRequired } from '../sessions/second-factor.ts';
import { hasEnded } from '../sessions/session-tokens.ts';
import { earlierUse, type SocialTokens, sealTokens } from '../sessions/social-tokens.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { recordNewUser } from '../users/after-user.ts';
import { beforeUser } from '../users/before-user.ts';
import { newUser } from '../users/new-user.ts';
import { makePermanent } from '../users/permanence.ts';
import { socialIn, withSocial } from '../users/sections.ts';
import { type SocialConnection, shownConnection } from './connections.ts';
import { detailsOf, sectionsOf } from './details.ts';
import { requireNetwork } from './networks.ts';

/** Tokens that a client received from a network, and the network's name. */
export interface SocialProof {
  readonly network: string;
  readonly token: string | null;
  readonly secret: string | null;
  readonly nonce: string | null;
  /** Network address of the client, for rate limits. */
  readonly address: string;
}

export interface SocialLogin extends SocialProof {
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
  readonly login: LoginData | null;
}

/** A link to be added. */
export interface LinkRequest extends SocialProof {
  /** Password, if it was sent again. */
  readonly password: string | null;
}

export interface SocialDeps {
  readonly storage: Storage;
  readonly networks: OAuthNetworks;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: SettingsReader;
  readonly limiter: RateLimiter;
  readonly secondFactor: SecondFactor;
  readonly completedLogins: CompletedLogins;
  readonly freshLogin: FreshLogin;
  readonly authentication: Authentication;
  readonly audit: Audit;
  readonly notices: Notices;
  readonly hooks: Hooks;
  readonly timeWatch: Pick<TimeWatch, 'earliest' | 'latest'>;
}

/** A person just identified by a network, with data for a link. */
type Identified = Pick<SocialLink, 'network' | 'personId' | 'details'> & {
  readonly person: OAuthPerson;
  readonly tokens: SocialTokens;
};

/** Parameters of a login. */
interface Entry {
  readonly login: LoginData | null;
  readonly origin: SessionOrigin;
  /** Read before the transaction, because reading settings may need the storage. */
  readonly values: SettingValues;
}

/** Result of a login of a user with a second factor. */
interface Challenged {
  readonly challenge: string;
}

export type Social = ReturnType<typeof createSocial>;

/** Maximum length of a token, in characters, because tokens are stored. No network issues longer ones. */
const MAX_TOKEN_LENGTH = 8192;
/** Maximum number of attempts after conflicts with concurrent requests. */
const MAX_ATTEMPTS = 5;

/** Login with social networks. Persons are identified by their ids there, never by e-mail addresses. */
export function createSocial(deps: SocialDeps) {
  const { storage, networks, secrets, clock, settings, limiter, secondFactor, completedLogins } = deps;
  const { authentication, freshLogin, audit, notices, hooks, timeWatch } = deps;

  /** @throws `social.*`, `input.invalid`, `rate.limited` */
  async function identify({ network: name, token, secret, nonce, address }: SocialProof): Promise<Identified> {
    const network = await requireNetwork(networks, name);
    if (!token || !secret) throw new AppError('social.token_missing');
    if (Math.max(token.length, secret.length, nonce?.length ?? 0) > MAX_TOKEN_LENGTH) {
      throw new AppError('input.invalid', { detail: `a token must have at most ${MAX_TOKEN_LENGTH} characters` });
    }
    const attempt = { 'social/address': address };
    await limiter.take(attempt);
    const person = await network.identify({ token, nonce }).catch(async (error: unknown) => {
      // Only refusals count.
      if (!isAppError(error) || error.code !== 'social.refused') await limiter.giveBack(attempt);
      throw error;
    });
    await limiter.giveBack(attempt);
    const details = JSON.stringify(detailsOf(person));
    return { network: name, person, personId: person.id, tokens: { token, secret }, details };
  }

  /** Adds or removes a person of the network in the user's `_social`. The user must be locked. */
  async function mark(stores: Stores, user: UserRecord, network: string, personId: string | null) {
    const section = user.sections.visibleByRegisteredUsers;
    const { [network]: _former, ...others } = socialIn(section);
    const social = personId === null ? others : { ...others, [network]: { id: personId } };
    await stores.users.update(user.id, { sections: { visibleByRegisteredUsers: withSocial(section, social) } });
  }

  /**
   * Returns the session if it has not expired; this counts as use, but makes it no fresher. A login from another device
   * than the session's begins a separate session.
   */
  async function liveSession(
    stores: Stores,
    { sessionId, userId }: { readonly sessionId: string | null; readonly userId: string },
    { login, values }: Entry,
  ): Promise<string | null> {
    const found = sessionId === null ? null : await stores.sessions.find(sessionId);
    if (sessionId === null || found?.session.userId !== userId) return null;
    const now = clock.now();
    if (hasEnded({ ...found.session, guest: found.guest }, timeWatch.earliest(), values)) return null;
    if (login !== null) {
      if (login.deviceId !== found.session.deviceId) return null;
      await registerDevice(stores, { id: login.deviceId, userId, os: login.os, registered: now });
    }
    return (await stores.sessions.touch(sessionId, now)) ? sessionId : null;
  }

  /** @throws `social.busy` if the link was added or removed since it was read; `social.suspended`, `account.erasing` */
  async function signIn(
    stores: Stores,
    known: SocialLink,
    { tokens, details }: Identified,
    { permit, ...entry }: Entry & Pick<BeginningLogin, 'permit'>,
  ): Promise<SignedIn | Challenged> {
    const { network, personId, userId } = known;
    // An empty update locks the user until the session is stored, as at a login with a password.
    const profile = await stores.users.update(userId, {});
    const link = await stores.socialLinks.find(network, personId);
    if (profile === null || link?.userId !== userId) throw new AppError('social.busy');
    requireActive(profile, 'social.suspended');
    // Checked before the look-up of the live session, which extends it.
    if (((await stores.factors.find(userId))?.confirmed ?? null) !== null) {
      const first = { userId, key: userKey(profile.name), passwordHash: null, login: entry.login };
      const renewed = { network, personId, tokens, details };
      return { challenge: await secondFactor.challenge(stores, { ...first, link: renewed }) };
    }
    permit(profile);
    const { login, origin, values } = entry;
    const now = timeWatch.latest();
    const use = earlierUse(secrets, link, tokens);
    const live = use && (await liveSession(stores, { sessionId: use.sessionId, userId }, entry));
    // `GET /social` shows the token, so the thief of a session has it too, and could otherwise begin a fresh one.
    const started = { secrets, now, loggedIn: use?.first, userId, login, origin, most: mostSessionsOf(values) };
    const sessionId = live ?? (await beginSession(stores, started));
    const sealed = sealTokens(secrets, tokens, { link, sessionId, now });
    if (!(await stores.socialLinks.put({ ...link, sealed, details }))) throw new AppError('social.busy');
    return { profile, token: secrets.sign(sessionId) };
  }

  /**
   * @throws `registration.closed`; `social.busy` if a concurrent request has created the link. The new user is not
   * stored then.
   */
  async function signUp(stores: Stores, { person, ...identified }: Identified, { login, origin, values }: Entry) {
    if (!values['registration.open']) throw new AppError('registration.closed');
    const now = timeWatch.latest();
    const { network, personId, tokens, details } = identified;
    const profile = newUser({
      id: secrets.uuid(now),
      name: `user-${secrets.token().toLowerCase()}`,
      sections: sectionsOf(network, person),
      passwordHash: null,
      now,
      generated: true,
    });
    if (!(await stores.users.add(profile))) throw new AppError('social.busy');
    await recordNewUser(stores, deps, profile.id, now);
    const sessionId = await beginSession(stores, { secrets, now, userId: profile.id, login, origin, most: 0 });
    const sealed = sealTokens(secrets, tokens, { link: null, sessionId, now });
    const link = { network, personId, userId: profile.id, sealed, details };
    if (!(await stores.socialLinks.put(link))) throw new AppError('social.busy');
    return { profile, token: secrets.sign(sessionId) };
  }

  async function attempt(
    known: SocialLink | null,
    identified: Identified,
    entry: Entry,
  ): Promise<SignedIn | Challenged> {
    if (known === null) {
      const sections = sectionsOf(identified.network, identified.person);
      await beforeUser(hooks, ANONYMOUS, { username: null, sections });
    }
    if (known !== null) {
      return completedLogins.begin('social', (stores, { permit }) =>
        signIn(stores, known, identified, { ...entry, permit }),
      );
    }
    return audit.transaction(storage.transaction, async (stores, record) => {
      const signedUp = await signUp(stores, identified, entry);
      const details = { method: 'social' };
      const { network } = entry.origin;
      record(ANONYMOUS, 'user.signed_up', { to: userParty(signedUp.profile), network, details });
      return signedUp;
    });
  }

  return {
    /** Returns the caller's links, by network. @throws `auth.required`, `social.none` */
    async list(actor: Actor): Promise<SocialConnection[]> {
      const { id, name } = requireUser(actor);
      const links = await storage.socialLinks.list(id);
      if (links.length === 0) throw new AppError('social.none');
      return links.map((link) => shownConnection(deps, name, link));
    },

    /**
     * Logs in the identified person: as the linked user, or else as a new user. A token that was sent before continues
     * its session if that is still valid, and makes no fresh login.
     *
     * @throws `social.network_unknown`, `social.disabled`, `social.token_missing`, `social.refused`,
     * `social.unavailable`, `social.suspended`, `social.busy`, `registration.closed`, `input.invalid`, `rate.limited`,
     * `auth.second_factor_required`
     */
    async login(_actor: Actor, { login, client, origin, ...proof }: SocialLogin): Promise<LoggedIn> {
      const signedIn = await authentication.attempt({ method: 'social', network: origin.network }, async (made) => {
        const identified = await identify(proof);
        // Before the transaction, because reading settings may need the storage.
        const values = await settings.current();
        const entry = { login, origin: { ...origin, factor: null }, values };
        for (let attempts = 1; ; attempts++) {
          const known = await storage.socialLinks.find(identified.network, identified.personId);
          made.to = known === null ? null : accountParty(known.userId);
          const done = await attempt(known, identified, entry).catch((error: unknown) => {
            // A concurrent request was faster. The next attempt sees its result.
            if (isAppError(error) && error.code === 'social.busy' && attempts < MAX_ATTEMPTS) return null;
            throw error;
          });
          if (done !== null) return done;
        }
      });
      if ('challenge' in signedIn) throw secondFactorRequired(signedIn.challenge);
      const { profile } = signedIn;
      const completed = { method: 'social', factor: null, client, origin } as const;
      return { ...signedIn, client: await completedLogins.complete(profile, completed) };
    },

    /**
     * Links the caller to the identified person. An earlier link to that network is replaced. Makes a guest permanent,
     * and resolves to the token of their new session. Needs a fresh login, because the person can log in from now on.
     *
     * @throws `auth.required`, `social.network_unknown`, `social.disabled`, `social.token_missing`, `social.refused`,
     * `social.unavailable`, `social.taken`, `input.invalid`, `rate.limited`, the errors of `FreshLogin.ensure`
     */
    async link(actor: Actor, { password, ...proof }: LinkRequest): Promise<string | null> {
      const { id } = requireUser(actor);
      await freshLogin.ensure(actor, { password, address: proof.address });
      const { network, personId, tokens, details } = await identify(proof);
      const values = await notices.prepare();
      const most = mostSessionsOf(await settings.current());
      return audit.transaction(storage.transaction, async (stores, record) => {
        const profile = await stores.users.update(id, {});
        if (profile === null) throw new AppError('auth.required');
        const earlier = (await stores.socialLinks.list(id)).find((link) => link.network === network);
        const now = clock.now();
        const former = earlier?.personId === personId ? earlier : null;
        const sealed = sealTokens(secrets, tokens, { link: former, sessionId: null, now });
        const isLinked = await stores.socialLinks.put({ network, personId, userId: id, sealed, details });
        if (!isLinked) throw new AppError('social.taken');
        const { sessionId } = actor;
        const begun = await makePermanent(stores, { user: profile, sessionId, secrets, now, most });
        await mark(stores, profile, network, personId);
        await notices.post(stores, values, profile, { kind: 'social.linked', network: actor.network ?? null });
        record(actor, 'social.linked', { to: { kind: 'network', id: network, name: null } });
        return begun;
      });
    },

    /**
     * Removes the caller's link to a network. Sessions stay valid. Needs a fresh login.
     *
     * @throws `auth.required`, `social.network_unknown`, `social.disabled`, `social.not_linked`; `social.last_link` if
     * the user could no longer log in without it; the errors of `FreshLogin.ensure`
     */
    async unlink(actor: Actor, network: string, presence: Presence): Promise<void> {
      const { id } = requireUser(actor);
      await freshLogin.ensure(actor, presence);
      await requireNetwork(networks, network);
      const values = await notices.prepare();
      await audit.transaction(storage.transaction, async (stores, record) => {
        const profile = await stores.users.update(id, {});
        if (profile === null) throw new AppError('auth.required');
        const links = await stores.socialLinks.list(id);
        if (!links.some((link) => link.network === network)) throw new AppError('social.not_linked');
        const credentials = await stores.users.credentials(userKey(profile.name));
        const isLast = links.length === 1 && (credentials?.passwordHash ?? null) === null;
        if (isLast && (await stores.passkeys.list(id)).length === 0) throw new AppError('social.last_link');
        await stores.socialLinks.remove(id, network);
        await mark(stores, profile, network, null);
        await notices.post(stores, values, profile, { kind: 'social.unlinked', network: actor.network ?? null });
        record(actor, 'social.unlinked', { to: { kind: 'network', id: network, name: null } });
      });
    },
  };
}
