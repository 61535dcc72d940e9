import { type Actor, requireUser } from '../actor.ts';
import { type Audit, type AuditedActor, ERASED_PREFIX, type RecordAct, userParty } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { isInternalName } from '../names/names.ts';
import type { NoticeSettings, Notices } from '../notices/notices.ts';
import type { Clock } from '../ports/clock.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import { networkOf } from '../protection/limits.ts';
import type { Removals } from '../removals.ts';
import type { Authentication, Credentials } from '../sessions/authentication.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import type { SettingsReader } from '../settings/settings.ts';
import type { TimeWatch } from '../time/time-watch.ts';
import { endSessions } from '../users/account-changes.ts';
import { removeUser } from '../users/removal.ts';

const DAY = 24 * 60 * 60_000;
/** Maximum number of users removed per run. */
const MOST_USERS = 100;
/** Time after which a run does not start another removal, in milliseconds. */
const MOST_MS = 60_000;

/** Maximum number of audit events changed per transaction. */
const EVENTS = 500;

export interface ErasuresDeps {
  readonly storage: Storage;
  readonly authentication: Authentication;
  readonly freshLogin: FreshLogin;
  readonly settings: SettingsReader;
  readonly notices: Notices;
  readonly removals: Removals;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly timeWatch: Pick<TimeWatch, 'latest'>;
}

export type Erasures = ReturnType<typeof createErasures>;

interface Request {
  /** Days until the user is removed. */
  readonly grace: number;
  readonly notice: NoticeSettings;
  readonly source: AuditedActor;
  readonly record: RecordAct;
}

/** Ends everything with which the user could call. */
async function endAccess(stores: Stores, userId: string): Promise<void> {
  await endSessions(stores, userId, null);
  for (const { id, ownerId } of await stores.apiKeys.list()) {
    if (ownerId === userId) await stores.apiKeys.remove(id);
  }
}

/** Deletion of accounts by their users. */
export function createErasures(deps: ErasuresDeps) {
  const { storage, authentication, freshLogin, settings, notices, removals, secrets, clock, audit, timeWatch } = deps;

  /** Names the user in the audit log by an alias, in batches. Resolves to the rest of the work, for a transaction. */
  async function forget(id: string, now: number) {
    // The salt is stored nowhere, so that nobody can tell whose alias this is.
    const alias = `${ERASED_PREFIX}${secrets.fingerprint(`${secrets.token()}/${id}`)}`;
    const batch = async ({ users, audit: events }: Stores) =>
      (await users.lockDueErasure(id, now)) && (await events.forget(id, alias, EVENTS)) === EVENTS;
    await audit.stored();
    while (await storage.transaction(batch));
    return { alias, finish: (stores: Stores) => stores.audit.forget(id, alias, Number.MAX_SAFE_INTEGER) };
  }

  /** Removes a user whose time has come. Resolves to false if they have taken the deletion back. */
  async function erase(id: string, now: number): Promise<boolean> {
    const { alias, finish } = await forget(id, now);
    const keepsShared = (await settings.current())['deletion.shared'] === 'keep';
    const isErased = await audit.transaction(storage.transaction, async (stores, record) => {
      if (!(await stores.users.lockDueErasure(id, now))) return false;
      await finish(stores);
      record({ user: null, key: null }, 'user.erased', { to: { kind: 'user', id: alias, name: null } });
      return removeUser(stores, id, { now: clock.now(), keepsShared });
    });
    await removals.finish();
    return isErased;
  }

  /**
   * Begins to delete an account, in a transaction. All access ends. Guests cannot log in again to take it back, so their
   * accounts are due immediately. Resolves to the time from which on the user is removed, in milliseconds.
   *
   * @throws `account.built_in` for the built-in administrator, so that there always is one
   */
  async function begin(stores: Stores, user: UserRecord, { grace, notice, source, record }: Request): Promise<number> {
    if (isInternalName(user.name)) throw new AppError('account.built_in');
    const days = user.guest ? 0 : grace;
    const at = days === 0 ? clock.now() : timeWatch.latest() + days * DAY;
    // A suspended user stays suspended: taking the deletion back would otherwise end the suspension.
    const status = user.status === 'SUSPENDED' ? 'SUSPENDED' : 'ERASING';
    await stores.users.update(user.id, { status, eraseAt: at });
    await endAccess(stores, user.id);
    if (days > 0) {
      await notices.post(stores, notice, user, { kind: 'account.erasing', network: source.network ?? null });
    }
    record(source, 'user.erasure_requested', { to: userParty(user), details: { days } });
    return at;
  }

  /**
   * Deletes the account of a user. `find` locks them.
   *
   * @returns the time from which on the user is removed, in milliseconds; null if `find` found none
   */
  async function request(
    source: AuditedActor,
    find: (stores: Stores) => Promise<UserRecord | null>,
  ): Promise<number | null> {
    // Read before the transaction, because this may need the storage.
    const grace = (await settings.current())['erase.grace.days'];
    const notice = await notices.prepare();
    const begun = await audit.transaction(storage.transaction, async (stores, record) => {
      const user = await find(stores);
      return user === null ? null : { id: user.id, at: await begin(stores, user, { grace, notice, source, record }) };
    });
    if (begun === null) return null;
    // Otherwise housekeeping removes them.
    if (begun.at <= clock.now()) await erase(begun.id, clock.now());
    return begun.at;
  }

  return {
    request,

    /**
     * Deletes the caller's account. Needs a fresh login. Resolves to the time from which on the user is removed.
     *
     * @throws `auth.required`, `account.built_in`, the errors of `FreshLogin.ensure`
     */
    async requestOwn(actor: Actor, presence: Presence): Promise<number> {
      const { id } = requireUser(actor);
      await freshLogin.ensure(actor, presence);
      const at = await request(actor, (stores) => stores.users.update(id, {}));
      if (at === null) throw new AppError('auth.required');
      return at;
    },

    /**
     * Takes a deletion back. The user can log in again. No-op for accounts that are not being deleted.
     *
     * @throws `auth.invalid` also for suspended users, `auth.locked`, `rate.limited`, `passwords.busy`
     */
    async cancel(_actor: Actor, credentials: Credentials): Promise<void> {
      const id = await authentication.ownerOf(credentials);
      await audit.transaction(storage.transaction, async (stores, record) => {
        const user = await stores.users.update(id, {});
        if (user === null) throw new AppError('auth.invalid');
        if (user.status !== 'ERASING') return;
        await stores.users.update(id, { status: 'ACTIVE' });
        await stores.announcer.announce({ topic: 'user', key: id });
        const network = networkOf(credentials.address);
        record({ user, key: null }, 'user.erasure_canceled', { to: userParty(user), network });
      });
    },

    /** Removes the users whose time has come. Resolves to their number. */
    async eraseDue(now: number): Promise<number> {
      const began = clock.now();
      let removed = 0;
      for (const id of await storage.users.dueErasures(now, MOST_USERS)) {
        if (clock.now() - began > MOST_MS) break;
        if (await erase(id, now)) removed++;
      }
      return removed;
    },
  };
}
