import type { Actor } from '../actor.ts';
import { accountParty } from '../audit/audit.ts';
import { AppError, isAppError } from '../errors.ts';
import type { OutgoingMail } from '../mail/outgoing.ts';
import { fillHtml, fillText } from '../mail/template.ts';
import { addressIn, addressKey, attemptKey, emailKey } from '../names/email-address.ts';
import { typedCode, userKey } from '../names/names.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Mailer } from '../ports/mailer.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Challenge } from '../ports/storage/challenges.ts';
import type { Storage } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { Timers } from '../ports/timers.ts';
import { attemptAt, type RateLimiter } from '../protection/limits.ts';
import type { LoginData } from '../push/devices.ts';
import { createSemaphore } from '../semaphore.ts';
import type { Authentication } from '../sessions/authentication.ts';
import type {
  CompletedLogins,
  KnownClients,
  LoggedIn,
  LoginAttempt,
  LoginOrigin,
  SignedIn,
} from '../sessions/logins.ts';
import { codeInvalid, lockCurrent, type SecondFactor, secondFactorRequired } from '../sessions/second-factor.ts';
import type { SettingValues } from '../settings/catalogue.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { CODE_LIFETIME_MS, createLoginCodeChallenges, type OpenLoginCode } from './login-code-challenges.ts';

/** Maximum number of attempts at one code, counted before they are checked. */
const MAX_ATTEMPTS = 5;
const CODE_LENGTH = 6;
/** Maximum number of mails prepared concurrently in one process. */
const CONCURRENCY = 4;
const MAX_IN_PROGRESS = 1_000;

/** Recipient and source of a code request. */
export interface LoginCodeRequest {
  /** A name, or a verified address; null if `email` was sent. */
  readonly username: string | null;
  /** A verified address; null if `username` was sent. */
  readonly email: string | null;
  /** Network address of the client, for rate limits. */
  readonly address: string;
}

export interface LoginCodeAnswer {
  readonly challenge: string;
  readonly code: string;
  readonly login: LoginData | null;
  /** Network address of the client, for rate limits. */
  readonly address: string;
  /** Client text issued by an earlier login; null if the client sent none. */
  readonly client: string | null;
  readonly origin: LoginOrigin;
}

export interface LoginCodesDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly secondFactor: SecondFactor;
  readonly knownClients: KnownClients;
  readonly completedLogins: CompletedLogins;
  readonly outgoingMail: OutgoingMail;
  readonly mailer: Mailer;
  readonly limiter: RateLimiter;
  readonly settings: SettingsReader;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly timeWatch: Pick<TimeWatch, 'latest'>;
}

/** Stored data of a sent code, encrypted. */
interface SentCode {
  /** Key of the user's name. */
  readonly key: string;
  /** Key of the recipient's address. */
  readonly email: string;
  /** Keyed digest of the code. */
  readonly code: string;
}

/** A right code. */
interface RightCode extends Pick<LoginCodeAnswer, 'login' | 'origin'> {
  readonly digest: string;
  readonly userId: string;
  readonly sent: SentCode;
}

/** Result of a right code: a session, or the challenge of the second factor. */
type Completed = SignedIn | { readonly challenge: string };

/** Returns the key of the user's verified address; null if there is none. */
function verifiedKey({ emailVerified, sections }: UserRecord): string | null {
  const address = emailVerified ? addressIn(sections.visibleByTheUser) : null;
  return address === null ? null : emailKey(address);
}

export type LoginCodes = ReturnType<typeof createLoginCodes>;

/**
 * Login with a code sent to the user's verified address. Answers and timing do not reveal whether there is such a user:
 * the user is looked up after the answer, and a challenge without a user behaves like one whose code is never right.
 */
export function createLoginCodes(deps: LoginCodesDeps) {
  const {
    storage,
    authentication,
    secondFactor,
    knownClients,
    completedLogins,
    outgoingMail,
    mailer,
    limiter,
    settings,
  } = deps;
  const { secrets, clock, timers, logger, timeWatch } = deps;
  const challenges = createLoginCodeChallenges({ secrets, clock });
  const preparing = createSemaphore({ running: CONCURRENCY });
  const inProgress = new Set<Promise<void>>();

  const codeDigest = (digest: string, code: string) => secrets.digest(`login code/${digest}/${code}`);

  /** @throws `auth.method_disabled` */
  async function requireAllowed(): Promise<SettingValues> {
    const values = await settings.current();
    if (!values['login.by.mail']) throw new AppError('auth.method_disabled');
    return values;
  }

  async function userOf({ username, email }: Pick<LoginCodeRequest, 'username' | 'email'>): Promise<UserRecord | null> {
    const named = username ?? email ?? '';
    const byEmail = addressKey(named);
    if (username === null) {
      const owner = byEmail === null ? null : await storage.emails.ownerOf(byEmail);
      return owner === null ? null : storage.users.find(owner);
    }
    const found = await storage.users.credentials(userKey(username), byEmail);
    return found === null ? null : storage.users.find(found.id);
  }

  /** Stores the code and the mail, if there is a user who may get one. */
  async function prepare(request: LoginCodeRequest, { digest, expires }: OpenLoginCode): Promise<void> {
    const user = await userOf(request);
    const to = user?.emailVerified ? addressIn(user.sections.visibleByTheUser) : null;
    if (user === null || to === null || user.status !== 'ACTIVE') return;
    await limiter.take({ 'email/mailbox': emailKey(to) });
    const values = await settings.current();
    const code = secrets.digits(CODE_LENGTH);
    const sent: SentCode = { key: userKey(user.name), email: emailKey(to), code: codeDigest(digest, code) };
    const filled = { code, user_name: user.name, application_name: values['application.name'] };
    await storage.transaction(async (stores) => {
      await stores.challenges.add({ digest, userId: user.id, sealed: secrets.encrypt(JSON.stringify(sent)), expires });
      await outgoingMail.post(stores, values, {
        userId: user.id,
        // A separate mail for each challenge, so that a new request does not withdraw an earlier code.
        topic: `login code/${digest}`,
        expires,
        to,
        subject: values['login.code.subject'],
        text: fillText(values['login.code.template.text'], filled),
        html: fillHtml(values['login.code.template.html'], filled),
      });
    });
  }

  async function prepareQuietly(request: LoginCodeRequest, open: OpenLoginCode): Promise<void> {
    try {
      // After the answer, so that its timing does not depend on the user.
      await new Promise<void>((resolve) => void timers.after(0, resolve));
      await preparing.run(() => prepare(request, open));
    } catch (err) {
      if (isAppError(err) && err.code === 'rate.limited') return;
      logger.warn({ err }, 'mail with a login code not stored');
    }
  }

  /**
   * @throws `auth.invalid` if the user is suspended, `auth.code_invalid` if the code or the address is no longer valid
   */
  async function complete({ digest, userId, sent, login, origin }: RightCode): Promise<Completed> {
    return completedLogins.begin('mail', async (stores, { start }) => {
      const profile = await lockCurrent(stores, { userId, passwordHash: null });
      const isCurrent = verifiedKey(profile) === sent.email;
      if (!isCurrent || !(await stores.challenges.consume(digest))) throw codeInvalid();
      if (((await stores.factors.find(userId))?.confirmed ?? null) !== null) {
        const first = { userId, key: userKey(profile.name), passwordHash: null, login };
        return { challenge: await secondFactor.challenge(stores, first) };
      }
      if (profile.guest) await stores.users.seen(userId, timeWatch.latest());
      return start(profile, { login, origin: { ...origin, factor: null } });
    });
  }

  /** Returns the code sent for a challenge; null if none was, or the challenge is used up. */
  async function sentFor({ digest }: OpenLoginCode): Promise<(SentCode & Pick<Challenge, 'userId'>) | null> {
    const found = await storage.challenges.attempt(digest, clock.now(), MAX_ATTEMPTS);
    // Takes as long as counting an attempt at a stored challenge.
    if (found === null) await limiter.take({ 'loginCode/unsent': digest });
    const opened = found === null ? null : secrets.decrypt(found.sealed);
    return found === null || opened === null ? null : { ...(JSON.parse(opened) as SentCode), userId: found.userId };
  }

  async function checkCode(attempt: LoginAttempt, answer: LoginCodeAnswer): Promise<Completed> {
    const { challenge, code, login, address, client, origin } = answer;
    const open = challenges.open(challenge);
    if (open === null) throw codeInvalid();
    const { digest, key } = open;
    const sent = await sentFor(open);
    if (sent !== null) attempt.to = accountParty(sent.userId);
    const knownAs = sent === null ? null : knownClients.sharedBy(client, sent.userId, 'login code');
    // Counted for the typed text, also for unknown users. If it is an address, also counted for the account, which
    // has one limit.
    await attempt.guess({ key, address, knownAs });
    if (sent !== null && sent.key !== key) await attempt.guess({ key: sent.key, address, knownAs });
    if (sent?.code !== codeDigest(digest, typedCode(code))) throw codeInvalid();
    return complete({ digest, userId: sent.userId, sent, login, origin });
  }

  return {
    /**
     * Sends a code to the user, if there is one with a verified address. Always resolves to a challenge.
     *
     * @throws `auth.method_disabled`, `input.invalid`, `mail.unavailable`, `rate.limited`
     */
    async begin(_actor: Actor, request: LoginCodeRequest): Promise<string> {
      await requireAllowed();
      const { username, email, address } = request;
      if ((username === null) === (email === null)) {
        throw new AppError('input.invalid', { detail: 'send either username or email', input: '/username' });
      }
      const key = username === null ? challenges.keyOfEmail(email ?? '') : attemptKey(username);
      await limiter.take(attemptAt('loginCode', key, address));
      await mailer.requireSetUp();
      if (inProgress.size >= MAX_IN_PROGRESS) throw new AppError('mail.unavailable');
      const open = challenges.issue(key, clock.now() + CODE_LIFETIME_MS);
      const work = prepareQuietly(request, open);
      inProgress.add(work);
      void work.finally(() => inProgress.delete(work));
      return open.challenge;
    },

    /**
     * Logs in with the code. Wrong codes count like wrong passwords, and five invalidate the code. Used and expired
     * codes, and codes for unknown users, get the same answer.
     *
     * @throws `auth.method_disabled`, `auth.code_invalid`, `auth.second_factor_required`, `auth.invalid`,
     * `auth.locked`, `rate.limited`
     */
    async confirm(_actor: Actor, answer: LoginCodeAnswer): Promise<LoggedIn> {
      await requireAllowed();
      const { client, origin } = answer;
      const made = { method: 'mail', network: origin.network } as const;
      const outcome = await authentication.attempt(made, (attempt) => checkCode(attempt, answer));
      if ('challenge' in outcome) throw secondFactorRequired(outcome.challenge);
      const completed = { method: 'mail', factor: null, client, origin } as const;
      return { ...outcome, client: await completedLogins.complete(outcome.profile, completed) };
    },

    /** Resolves when the requested mails have been stored. */
    async settled(): Promise<void> {
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}
