import { type Actor, requireUser } from '../actor.ts';
import { type Audit, userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { typedCode, userKey } from '../names/names.ts';
import type { Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { Totp } from '../ports/totp.ts';
import type { Authentication } from '../sessions/authentication.ts';
import { type FreshLogin, knownBySession, type Presence } from '../sessions/fresh-login.ts';
import { codeInvalid, type FactorProof, type SecondFactor, sealRecoveryCode } from '../sessions/second-factor.ts';
import type { SettingsReader } from '../settings/settings.ts';
import { endSessions } from '../users/account-changes.ts';

/** 160 bits, as long as the hash (RFC 4226, section 4). In characters of Base32. */
const SECRET_LENGTH = 32;
const RECOVERY_CODES = 10;
/** 80 bits, in characters of Base32, shown in groups of four. */
const RECOVERY_CODE_LENGTH = 16;

/** A new TOTP secret, shown to the user once. */
export interface NewTotp {
  readonly secret: string;
  readonly uri: string;
}

export interface FactorState {
  readonly isOn: boolean;
  /** Time of activation, in milliseconds. */
  readonly since: number | null;
  /** Number of unused recovery codes. */
  readonly recoveryCodes: number;
  /** Number of passkeys, which log in without a code. */
  readonly passkeys: number;
}

/** A code with the client's network address, for rate limits. */
export interface FactorConfirmation {
  readonly code: string;
  readonly address: string;
}

/** A proof. Without one a fresh login is needed. */
export interface FactorRemoval {
  readonly proof: FactorProof | null;
  readonly presence: Presence;
}

export interface FactorsDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly secondFactor: SecondFactor;
  readonly totp: Totp;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly settings: SettingsReader;
  readonly freshLogin: FreshLogin;
  readonly audit: Audit;
  readonly notices: Notices;
}

export type Factors = ReturnType<typeof createFactors>;

const grouped = (code: string) => code.replaceAll(/.{4}(?=.)/g, '$&-');

/** Two-factor authentication, for users and administrators. */
export function createFactors(deps: FactorsDeps) {
  const { storage, authentication, secondFactor, totp, secrets, clock, settings, freshLogin, audit, notices } = deps;

  /** Turns the factor off. The user must be locked. Every node drops its cached credentials. */
  async function turnOff(stores: Stores, userId: string): Promise<boolean> {
    const removed = await stores.factors.remove(userId);
    await stores.announcer.announce({ topic: 'user', key: userId });
    return removed;
  }

  /** Turns the factor off if `use` resolves to true. @throws `auth.code_invalid` */
  async function removeLocked(actor: Actor, use: (stores: Stores) => Promise<boolean>): Promise<void> {
    const { id, name } = requireUser(actor);
    const values = await notices.prepare();
    await audit.transaction(storage.transaction, async (stores, record) => {
      const user = await stores.users.update(id, {});
      if (!(await use(stores))) throw codeInvalid();
      await turnOff(stores, id);
      const notice = { kind: 'factor.off', network: actor.network ?? null } as const;
      if (user !== null) await notices.post(stores, values, user, notice);
      record(actor, 'factor.disabled', { to: userParty({ id, name }), details: { factor: 'totp' } });
    });
  }

  /** Returns the ciphertext currently stored for this secret. A change of the secret key may have re-encrypted it. */
  async function sameSecret(stores: Stores, userId: string, sealed: string): Promise<string> {
    const now = (await stores.factors.find(userId))?.sealed ?? sealed;
    return now !== sealed && secrets.decrypt(now) === secrets.decrypt(sealed) ? now : sealed;
  }

  async function removeWith(actor: Actor, proof: FactorProof, address: string): Promise<void> {
    const { id, name } = requireUser(actor);
    await authentication.attempt({ to: userParty({ id, name }) }, async (attempt) => {
      await attempt.guess({ key: userKey(name), address, knownAs: knownBySession(actor, 'factor') });
      const use = await secondFactor.examine(id, proof);
      if (use === null) throw codeInvalid();
      await removeLocked(actor, use);
    });
  }

  return {
    /** @throws `auth.required` */
    async state(actor: Actor): Promise<FactorState> {
      const { id } = requireUser(actor);
      const [factor, recoveryCodes, passkeys] = await Promise.all([
        storage.factors.find(id),
        storage.factors.recoveryCodes(id),
        storage.passkeys.list(id),
      ]);
      const since = factor?.confirmed ?? null;
      return { isOn: since !== null, since, recoveryCodes: recoveryCodes.length, passkeys: passkeys.length };
    },

    /**
     * Creates a new secret, which is active once it is confirmed. Needs a fresh login. Confirming does not, because it
     * requires the secret.
     *
     * @throws `auth.required`, `totp.exists`, the errors of `FreshLogin.ensure`
     */
    async prepareTotp(actor: Actor, presence: Presence): Promise<NewTotp> {
      const { id, name } = requireUser(actor);
      await freshLogin.ensure(actor, presence);
      const secret = secrets.base32(SECRET_LENGTH);
      const issuer = (await settings.current())['application.name'];
      if (!(await storage.factors.prepare(id, secrets.encrypt(secret)))) throw new AppError('totp.exists');
      return { secret, uri: totp.uri({ secret, issuer, account: name }) };
    },

    /**
     * Turns the factor on. The code proves that the user has the secret. All other sessions end, because they began
     * without it. Resolves to the recovery codes, which are shown only once.
     *
     * @throws `auth.required`, `totp.exists`, `totp.not_found`, `auth.code_invalid`, `rate.limited`
     */
    async confirmTotp(actor: Actor, { code, address }: FactorConfirmation): Promise<string[]> {
      const { id, name } = requireUser(actor);
      const factor = await storage.factors.find(id);
      if (factor === null) throw new AppError('totp.not_found');
      if (factor.confirmed !== null) throw new AppError('totp.exists');
      const now = clock.now();
      const step = await authentication.attempt({ to: userParty({ id, name }) }, async (attempt) => {
        await attempt.guess({ key: userKey(name), address, knownAs: knownBySession(actor, 'factor') });
        const secret = secrets.decrypt(factor.sealed);
        const right = secret === null ? null : totp.stepOf(secret, typedCode(code), now);
        if (right === null) throw codeInvalid();
        return right;
      });
      const codes = Array.from({ length: RECOVERY_CODES }, () => grouped(secrets.base32(RECOVERY_CODE_LENGTH)));
      const recoveryCodes = codes.map((one) => sealRecoveryCode(secrets, id, one));
      const values = await notices.prepare();
      await audit.transaction(storage.transaction, async (stores, record) => {
        const user = await stores.users.update(id, {});
        if (user === null) throw new AppError('auth.required');
        const sealed = await sameSecret(stores, id, factor.sealed);
        const confirmation = { userId: id, sealed, step, now, recoveryCodes };
        if (!(await stores.factors.confirm(confirmation))) throw new AppError('totp.exists');
        await endSessions(stores, id, actor.sessionId);
        await notices.post(stores, values, user, { kind: 'factor.on', network: actor.network ?? null });
        record(actor, 'factor.enabled', { to: userParty({ id, name }), details: { factor: 'totp' } });
      });
      return codes;
    },

    /**
     * Turns the factor off. Needs a proof of it, or a fresh login.
     *
     * @throws `auth.required`, `totp.not_found`, `auth.code_invalid`, the errors of `FreshLogin.ensure`
     */
    async removeTotp(actor: Actor, { proof, presence }: FactorRemoval): Promise<void> {
      const user = requireUser(actor);
      const factor = await storage.factors.find(user.id);
      if ((factor?.confirmed ?? null) === null) throw new AppError('totp.not_found');
      if (proof !== null) await removeWith(actor, proof, presence.address);
      else {
        await freshLogin.ensure(actor, presence);
        await removeLocked(actor, async () => true);
      }
    },
  };
}
