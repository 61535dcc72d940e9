import { type Actor, requireUser } from '../actor.ts';
import { type Audit, accountParty, userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Device } from '../ports/storage/devices.ts';
import type { ListedSession, Session, SessionOrigin, VerifiedCredentials } from '../ports/storage/sessions.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { type LoginData, registerDevice } from '../push/devices.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import type { Authentication } from './authentication.ts';
import {
  type CompletedLogins,
  endSurplus,
  type LoggedIn,
  type LoginOrigin,
  mostSessionsOf,
  type SignedIn,
} from './logins.ts';
import { type ChallengeAnswer, type SecondFactor, secondFactorRequired } from './second-factor.ts';
import { hasEnded } from './session-tokens.ts';

export interface Login {
  readonly username: string;
  readonly password: string;
  /** Code of the second factor; null if none was sent. */
  readonly code: string | null;
  readonly login: LoginData | null;
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
}

/** Maximum length of the list of sessions. The number of logins is not limited. */
const MAX_LISTED = 1_000;

/** A session as shown to its user. */
export interface ShownSession extends ListedSession {
  /** Operating system of its device; null without one. */
  readonly os: Device['os'] | null;
  /** True for the session of this request. */
  readonly isCurrent: boolean;
}

/** Ends a session, and removes its device and the given one from the user. */
export async function endSession(
  stores: Stores,
  {
    sessionId,
    deviceId,
    userId,
  }: { readonly sessionId: string; readonly deviceId: string | null; readonly userId: string },
): Promise<void> {
  // Device before session, in the lock order of logins, to prevent deadlocks.
  const own = (await stores.sessions.find(sessionId))?.session.deviceId ?? null;
  const devices = new Set([deviceId, own]);
  for (const device of devices) if (device !== null) await stores.devices.remove(device, userId);
  const last = (await stores.sessions.remove(sessionId))?.deviceId ?? null;
  // A concurrent request of this session may have set another device.
  if (last !== null && !devices.has(last)) await stores.devices.remove(last, userId);
  await stores.announcer.announce({ topic: 'session', key: sessionId });
}

/** Returns the live sessions of a user, newest first, at most 1,000. */
export async function listSessions(
  { storage, settings, timeWatch }: Pick<SessionsDeps, 'storage' | 'settings' | 'timeWatch'>,
  actor: Actor,
  userId: string,
): Promise<ShownSession[]> {
  const [sessions, devices, values] = await Promise.all([
    storage.sessions.list(userId, MAX_LISTED),
    storage.devices.list(userId),
    settings.current(),
  ]);
  const now = timeWatch.earliest();
  const systems = new Map(devices.map((device) => [device.id, device.os]));
  const live = sessions.filter((session) => !hasEnded(session, now, values));
  return live.map((session) => ({
    ...session,
    os: session.deviceId === null ? null : (systems.get(session.deviceId) ?? null),
    isCurrent: session.id === actor.sessionId,
  }));
}

export interface SessionsDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly secondFactor: SecondFactor;
  readonly completedLogins: CompletedLogins;
  readonly audit: Audit;
  readonly secrets: Secrets;
  readonly settings: SettingsReader;
  readonly timeWatch: TimeWatch;
}

export type SessionUseCases = ReturnType<typeof createSessions>;

export function createSessions({
  storage,
  authentication,
  secondFactor,
  completedLogins,
  audit,
  secrets,
  settings,
  timeWatch,
}: SessionsDeps) {
  async function end(actor: Actor, sessionId: string, deviceId: string | null): Promise<void> {
    const user = requireUser(actor);
    await audit.transaction(storage.transaction, async (stores, record) => {
      await endSession(stores, { sessionId, deviceId, userId: user.id });
      record(actor, 'session.ended', { to: userParty(user), details: { own: sessionId === actor.sessionId } });
    });
  }

  function sessionOf(actor: Actor): string {
    if (actor.key !== null) requireUser(actor);
    if (actor.sessionId === null) throw new AppError('session.invalid');
    return actor.sessionId;
  }

  /**
   * Begins a session if the credentials are still valid. A new password or a suspension comes either before, and is
   * seen here, or after, and ends this session too. Resolves to the user; null if the credentials are not valid.
   */
  async function begin(
    session: Session,
    { verified, login, origin }: { verified: VerifiedCredentials; login: LoginData | null; origin: SessionOrigin },
  ): Promise<UserRecord | null> {
    const most = mostSessionsOf(await settings.current());
    const { userId } = session;
    if (login === null && most === 0 && !completedLogins.hasHooks) {
      return (await storage.sessions.begin(session, verified, origin)) ? storage.users.find(userId) : null;
    }
    return completedLogins.begin('password', async (stores, { permit }) => {
      if (!(await stores.sessions.begin(session, verified, origin))) return null;
      const user = await stores.users.find(userId);
      if (user !== null) permit(user);
      if (login !== null)
        await registerDevice(stores, { id: login.deviceId, userId, os: login.os, registered: session.created });
      await endSurplus(stores, session, most);
      return user;
    });
  }

  return {
    /**
     * @throws `auth.invalid`, `auth.email_unverified`, `auth.second_factor_required`, `auth.code_invalid`, `auth.locked`,
     *   `rate.limited`, `passwords.busy`
     */
    async login(_actor: Actor, { username, password, code, login, address, client, origin }: Login): Promise<LoggedIn> {
      const checked = await authentication.check({ name: username, password, address, client });
      const { hasSecondFactor, awaitsEmail, userId, ...verified } = checked;
      if (hasSecondFactor && !awaitsEmail) {
        const first = { userId, ...verified, login };
        if (code !== null) return secondFactor.withCode(first, { code, address, client, origin });
        throw secondFactorRequired(await secondFactor.challenge(storage, first));
      }
      const made = { method: 'password', network: origin.network, to: accountParty(userId) } as const;
      const signedIn = await authentication.attempt(made, async () => {
        if (awaitsEmail) throw new AppError('auth.email_unverified');
        const now = timeWatch.latest();
        const session = { id: secrets.token(), userId, created: now, lastUsed: now, deviceId: login?.deviceId ?? null };
        const profile = await begin(session, { verified, login, origin: { ...origin, factor: null } });
        if (profile === null) throw new AppError('auth.invalid');
        return { profile, token: secrets.sign(session.id) };
      });
      const completed = { method: 'password', factor: null, client, origin } as const;
      return { ...signedIn, client: await completedLogins.complete(signedIn.profile, completed) };
    },

    /**
     * Completes a login that needs a second factor.
     *
     * @throws `auth.challenge_invalid`, `auth.code_invalid`, `auth.invalid`, `auth.locked`, `rate.limited`
     */
    loginSecond: (_actor: Actor, answer: ChallengeAnswer): Promise<LoggedIn> => secondFactor.answer(answer),

    /** Ends the caller's session and the notifications to its device. @throws `session.invalid` */
    async logout(actor: Actor): Promise<void> {
      await end(actor, sessionOf(actor), null);
    },

    /** Ends the caller's session and removes the given device, if it is the caller's. @throws `session.invalid` */
    async logoutDevice(actor: Actor, deviceId: string): Promise<void> {
      await end(actor, sessionOf(actor), deviceId);
    },

    /**
     * Records a use immediately, for all nodes. Resolves to the caller's profile and token. @throws `session.invalid`
     */
    async refresh(actor: Actor): Promise<SignedIn> {
      const sessionId = sessionOf(actor);
      const now = timeWatch.latest();
      const exists = await storage.sessions.touch(sessionId, now);
      const profile = await storage.users.find(requireUser(actor).id);
      if (!exists || profile === null) throw new AppError('session.invalid');
      if (profile.guest) await storage.users.seen(profile.id, now);
      return { profile, token: secrets.sign(sessionId) };
    },

    /** Returns the caller's sessions, newest first, at most 1,000. @throws `auth.required` */
    async list(actor: Actor): Promise<ShownSession[]> {
      return listSessions({ storage, settings, timeWatch }, actor, requireUser(actor).id);
    },

    /** Ends one of the caller's sessions. @throws `auth.required`, `session.not_found` */
    async remove(actor: Actor, sessionId: string): Promise<void> {
      const { id } = requireUser(actor);
      const found = await storage.sessions.find(sessionId);
      if (found?.session.userId !== id) throw new AppError('session.not_found');
      await end(actor, sessionId, null);
    },
  };
}
