import { type Actor, requireUser } from '../actor.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Device } from '../ports/storage/devices.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { SignedIn } from '../users/users.ts';
import type { Authentication } from './authentication.ts';

/** The device from which a user logs in, to be reached by push notifications. */
export interface LoginData {
  readonly os: Device['os'];
  readonly deviceId: string;
}

export interface Login {
  readonly username: string;
  readonly password: string;
  readonly login: LoginData | null;
}

interface NewSession {
  readonly secrets: Secrets;
  readonly now: number;
  readonly userId: string;
  readonly login: LoginData | null;
}

/** Begins a session, and registers the device with it. Resolves to the session's token. */
export async function issueSession(stores: Stores, { secrets, now, userId, login }: NewSession): Promise<string> {
  if (login !== null) {
    await stores.devices.register({ id: login.deviceId, userId, os: login.os, registered: now });
  }
  const id = secrets.token();
  await stores.sessions.add({ id, userId, created: now, lastUsed: now, deviceId: login?.deviceId ?? null });
  return secrets.sign(id);
}

export interface SessionsDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly secrets: Secrets;
  readonly clock: Clock;
}

export type SessionUseCases = ReturnType<typeof createSessions>;

export function createSessions({ storage, authentication, secrets, clock }: SessionsDeps) {
  async function end(sessionId: string, deviceId: string | null, userId: string): Promise<void> {
    await storage.transaction(async (stores) => {
      const session = await stores.sessions.remove(sessionId);
      for (const device of new Set([deviceId, session?.deviceId ?? null])) {
        if (device !== null) await stores.devices.remove(device, userId);
      }
      await stores.announcer.announce({ topic: 'session', key: sessionId });
    });
  }

  function sessionOf(actor: Actor): string {
    if (actor.sessionId === null) throw new AppError('session.invalid');
    return actor.sessionId;
  }

  return {
    /** @throws `auth.invalid`, `passwords.busy` */
    async login(_actor: Actor, { username, password, login }: Login): Promise<SignedIn> {
      const { user } = await authentication.byPassword(username, password);
      const now = clock.now();
      return storage.transaction(async (stores) => {
        const profile = await stores.users.find(user.id);
        if (profile?.status !== 'ACTIVE') throw new AppError('auth.invalid');
        return { profile, token: await issueSession(stores, { secrets, now, userId: user.id, login }) };
      });
    },

    /** Ends the caller's session; the device that it was begun on gets no more notifications. @throws `session.invalid` */
    async logout(actor: Actor): Promise<void> {
      await end(sessionOf(actor), null, requireUser(actor).id);
    },

    /** Ends the caller's session and forgets the named device, if it is the caller's. @throws `session.invalid` */
    async logoutDevice(actor: Actor, deviceId: string): Promise<void> {
      await end(sessionOf(actor), deviceId, requireUser(actor).id);
    },
  };
}
