import { type Actor, requireUser } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { userKey } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Passkey } from '../ports/storage/passkeys.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { RegistrationResponse, WebAuthn } from '../ports/webauthn.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import { mostSessionsOf } from '../sessions/logins.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { makePermanent } from '../users/permanence.ts';
import { isUuid } from '../wire.ts';
import { CHALLENGE_LIFETIME_MS, createPasskeyChallenges } from './challenges.ts';

/** More than the number of devices that users have. */
const MAX_PASSKEYS = 20;
const MAX_NAME_LENGTH = 128;
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Options for creating a passkey in a browser (PublicKeyCredentialCreationOptionsJSON). */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: number }[];
  /** In milliseconds. */
  readonly timeout: number;
  readonly excludeCredentials: readonly {
    readonly type: 'public-key';
    readonly id: string;
    readonly transports: readonly string[];
  }[];
  readonly authenticatorSelection: {
    readonly residentKey: 'required';
    readonly requireResidentKey: true;
    readonly userVerification: 'required';
  };
  readonly attestation: 'none';
}

/** A passkey as shown to its user. */
export type ShownPasskey = Omit<Passkey, 'userId' | 'publicKey' | 'counter'>;

export interface PasskeyRegistration {
  readonly name: string;
  readonly response: RegistrationResponse;
  readonly transports: readonly string[];
}

export interface RegisteredPasskey {
  readonly passkey: ShownPasskey;
  /** Token of the new session of a former guest; null for other users. */
  readonly token: string | null;
}

export interface PasskeysDeps {
  readonly storage: Storage;
  readonly webAuthn: WebAuthn;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly freshLogin: FreshLogin;
  readonly audit: Audit;
  readonly notices: Notices;
}

/** @throws `passkey.name_invalid` */
function checkName(name: string): void {
  const isPlain = name.trim() === name && name !== '' && !CONTROL.test(name);
  if (!isPlain || Array.from(name).length > MAX_NAME_LENGTH) {
    throw new AppError('passkey.name_invalid', { input: '/name' });
  }
}

function idOf(id: string): string {
  if (!isUuid(id)) throw new AppError('passkey.not_found');
  return id.toLowerCase();
}

/** Returns the user handle for authenticators: the digits of the id, which are valid base64url of 24 bytes. */
export const userHandleOf = (userId: string) => userId.replaceAll('-', '');

const shown = ({ userId: _userId, publicKey: _key, counter: _counter, ...passkey }: Passkey): ShownPasskey => passkey;

/** Resolves to true if the user can log in without passkeys. */
async function hasOtherLogin(stores: Stores, userId: string, name: string): Promise<boolean> {
  const credentials = await stores.users.credentials(userKey(name));
  return (credentials?.passwordHash ?? null) !== null || (await stores.socialLinks.list(userId)).length > 0;
}

export type Passkeys = ReturnType<typeof createPasskeys>;

/** Passkey management for users. */
export function createPasskeys(deps: PasskeysDeps) {
  const { storage, webAuthn, secrets, clock, settings, freshLogin, audit, notices } = deps;
  const challenges = createPasskeyChallenges({ secrets, clock });

  return {
    /** Returns the caller's passkeys, oldest first. @throws `auth.required` */
    async list(actor: Actor): Promise<ShownPasskey[]> {
      return (await storage.passkeys.list(requireUser(actor).id)).map(shown);
    },

    /**
     * Returns the options for creating a passkey. Needs a fresh login. Registering the passkey does not, because it
     * needs the challenge.
     *
     * @throws `auth.required`, `passkey.limit`, the errors of `FreshLogin.ensure`
     */
    async prepare(actor: Actor, presence: Presence): Promise<CreationOptions> {
      const { id, name } = requireUser(actor);
      await freshLogin.ensure(actor, presence);
      const passkeys = await storage.passkeys.list(id);
      if (passkeys.length >= MAX_PASSKEYS) throw new AppError('passkey.limit');
      return {
        challenge: challenges.issue({ registrationOf: id }),
        rp: { id: webAuthn.rpId, name: (await settings.current())['application.name'] },
        user: { id: userHandleOf(id), name, displayName: name },
        pubKeyCredParams: webAuthn.algorithms.map((alg) => ({ type: 'public-key', alg })),
        timeout: CHALLENGE_LIFETIME_MS,
        // An authenticator that has one of these does not create another.
        excludeCredentials: passkeys.map(({ credential, transports }) => ({
          type: 'public-key',
          id: credential,
          transports,
        })),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        attestation: 'none',
      };
    },

    /**
     * Stores a passkey created in a browser. Makes a guest permanent, and resolves to the token of their new session too.
     *
     * @throws `auth.required`, `passkey.name_invalid`, `passkey.challenge_invalid`, `passkey.invalid`,
     * `passkey.exists`, `passkey.limit`
     */
    async register(actor: Actor, { name, response, transports }: PasskeyRegistration): Promise<RegisteredPasskey> {
      const { id: userId } = requireUser(actor);
      checkName(name);
      const open = challenges.open(webAuthn.challengeOf(response.clientDataJSON), { registrationOf: userId });
      if (open === null) throw new AppError('passkey.challenge_invalid');
      const verified = await webAuthn.verifyRegistration(response, open.challenge);
      if ('refused' in verified) {
        throw new AppError('passkey.invalid', verified.refused === null ? {} : { detail: verified.refused });
      }
      const now = clock.now();
      const passkey = { ...verified, id: secrets.uuid(now), userId, transports: [...transports], name, created: now };
      const values = await notices.prepare();
      const most = mostSessionsOf(await settings.current());
      const token = await audit.transaction(storage.transaction, async (stores, record) => {
        const user = await stores.users.update(userId, {});
        if (user === null) throw new AppError('auth.required');
        if (!(await challenges.use(stores, open, userId))) throw new AppError('passkey.challenge_invalid');
        if ((await stores.passkeys.list(userId)).length >= MAX_PASSKEYS) throw new AppError('passkey.limit');
        if (!(await stores.passkeys.add(passkey))) throw new AppError('passkey.exists');
        const begun = await makePermanent(stores, { user, sessionId: actor.sessionId, secrets, now, most });
        await notices.post(stores, values, user, { kind: 'passkey.added', network: actor.network ?? null });
        record(actor, 'passkey.added', { to: { kind: 'passkey', id: passkey.id, name } });
        return begun;
      });
      return { passkey: shown({ ...passkey, lastUsed: null }), token };
    },

    /** @throws `auth.required`, `passkey.name_invalid`, `passkey.not_found` */
    async rename(actor: Actor, id: string, name: string): Promise<void> {
      const user = requireUser(actor);
      checkName(name);
      if (!(await storage.passkeys.rename(user.id, idOf(id), name))) throw new AppError('passkey.not_found');
    },

    /**
     * Removes a passkey. Sessions that began with it stay valid. Needs a fresh login.
     *
     * @throws `auth.required`, `passkey.not_found`; `passkey.last` if the user could no longer log in without it; the
     * errors of `FreshLogin.ensure`
     */
    async remove(actor: Actor, id: string, presence: Presence): Promise<void> {
      const user = requireUser(actor);
      const removed = idOf(id);
      await freshLogin.ensure(actor, presence);
      const values = await notices.prepare();
      await audit.transaction(storage.transaction, async (stores, record) => {
        const profile = await stores.users.update(user.id, {});
        if (profile === null) throw new AppError('auth.required');
        if (!(await stores.passkeys.remove(user.id, removed))) throw new AppError('passkey.not_found');
        const hasAnother = (await stores.passkeys.list(user.id)).length > 0;
        if (!hasAnother && !(await hasOtherLogin(stores, user.id, profile.name))) throw new AppError('passkey.last');
        await notices.post(stores, values, profile, { kind: 'passkey.removed', network: actor.network ?? null });
        record(actor, 'passkey.removed', { to: { kind: 'passkey', id: removed, name: null } });
      });
    },
  };
}
