import { type Announcer, AppError, type DocumentStore, type Signal, type Storage, type Stores } from '@baobab/core';
import { createLocalSignals } from '../signals.ts';
import { createDeviceStore, createSessionStore } from './accounts.ts';
import { createAssetStore } from './assets.ts';
import { createAuditStore } from './audit-store.ts';
import { createChangeStore } from './changes.ts';
import { createCollectionStore } from './collections.ts';
import { createDocumentStore } from './documents.ts';
import { createEmailStore } from './emails.ts';
import { createChallengeStore, createFactorStore } from './factors.ts';
import { createFeedPositions } from './feed.ts';
import { createFileStore } from './files.ts';
import { createBlockStore, createFollowStore } from './follows.ts';
import { createGroupInvitationStore } from './group-invitations.ts';
import { createGroupStore } from './groups.ts';
import { createIndexStore } from './indexes.ts';
import { createInvitationCodeStore } from './invitation-codes.ts';
import { createLockoutStore } from './lockouts.ts';
import { createMailStore } from './mails.ts';
import { createOutboxStore } from './outbox.ts';
import { createPasskeyStore } from './passkeys.ts';
import { createRoleStore } from './roles.ts';
import { createSealedStore } from './sealed.ts';
import { createServerKeyStore } from './server-keys.ts';
import {
  createIdempotencyStore,
  createJobStore,
  createRateLimitStore,
  createResetTokenStore,
  createSettingStore,
} from './small-stores.ts';
import { createSocialLinkStore } from './social-links.ts';
import { createState } from './state.ts';
import { createStatisticsStore } from './statistics.ts';
import { poison } from './transaction-guard.ts';
import { createUserStore } from './users.ts';
import { createWebhookStore } from './webhooks.ts';

/** Storage in the memory of this process, for tests and experiments. */
export function createMemoryStorage(): Storage {
  let undo: Array<() => void> | null = null;
  let closed = false;
  /** Resolves after the end of all transactions that have begun. */
  let last: Promise<void> = Promise.resolve();
  let running = 0;

  const feed = createFeedPositions();
  const state = createState({ record: (step) => undo?.push(step) }, feed);
  const signals = createLocalSignals();
  let announced: Signal[] = [];

  const inTransaction: Announcer = {
    async announce(signal) {
      announced.push({ ...signal });
    },
  };
  const atOnce: Announcer = {
    async announce(signal) {
      signals.deliver({ ...signal });
    },
  };
  const changes = createChangeStore(state);
  const stores = (announcer: Announcer): Stores => ({
    users: createUserStore(state),
    sessions: createSessionStore(state),
    devices: createDeviceStore(state),
    roles: createRoleStore(state),
    collections: createCollectionStore(state),
    documents: createDocumentStore(state),
    changes,
    files: createFileStore(state),
    assets: createAssetStore(state),
    follows: createFollowStore(state),
    groups: createGroupStore(state),
    groupInvitations: createGroupInvitationStore(state),
    invitationCodes: createInvitationCodeStore(state),
    blocks: createBlockStore(state),
    settings: createSettingStore(state),
    resetTokens: createResetTokenStore(state),
    factors: createFactorStore(state),
    challenges: createChallengeStore(state),
    passkeys: createPasskeyStore(state),
    rateLimits: createRateLimitStore(state),
    lockouts: createLockoutStore(state),
    idempotency: createIdempotencyStore(state),
    jobs: createJobStore(state),
    outbox: createOutboxStore(state),
    mails: createMailStore(state),
    emails: createEmailStore(state),
    socialLinks: createSocialLinkStore(state),
    serverKeys: createServerKeyStore(state),
    webhooks: createWebhookStore(state),
    sealed: createSealedStore(state),
    audit: createAuditStore(state),
    announcer,
  });
  const inner = stores(inTransaction);

  function assertOpen(): void {
    if (closed) throw new AppError('storage.unavailable', { detail: 'the database is closed' });
  }

  /** Runs `work` after all earlier calls and before all later ones. */
  async function inTurn<T>(work: () => Promise<T>, ready: Promise<void> | null = null): Promise<T> {
    running++;
    const turn = last;
    let done: () => void = () => undefined;
    last = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await ready;
      await turn;
      assertOpen();
      return await work();
    } finally {
      running--;
      done();
    }
  }

  /**
   * Calls outside a transaction wait for those that began earlier, so that partial results are never visible. All
   * wait in one queue, so a sequence of transactions cannot starve a reader.
   */
  async function outside<T>(call: () => Promise<T>): Promise<T> {
    assertOpen();
    return running === 0 ? call() : inTurn(call);
  }

  function endOfFeedPosition(): void {
    if (feed.end()) signals.deliver({ topic: 'changes', key: '' });
  }

  /** Makes a call outside transactions. Stores change their state before they first await anything. */
  function call<T>(method: () => Promise<T>): Promise<T> {
    try {
      return method();
    } finally {
      endOfFeedPosition();
    }
  }

  function guarded<S extends object>(store: S): S {
    const methods = Object.entries(store).map(([name, method]) => [
      name,
      (...args: unknown[]) => outside(() => call(() => method(...args))),
    ]);
    return Object.fromEntries(methods);
  }

  /** Delays by a turn of the event loop, so that calls of one turn count as concurrent, as in a real database. */
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

  function inNextTurn(documents: DocumentStore): DocumentStore {
    return {
      ...documents,
      async edit(...args) {
        await nextTurn();
        return documents.edit(...args);
      },
    };
  }

  function rollback(steps: ReadonlyArray<() => void>): void {
    undo = null;
    for (const step of steps.toReversed()) step();
  }

  async function attempt<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    const steps: Array<() => void> = [];
    undo = steps;
    announced = [];
    let failed = false;
    // As in a real database, a transaction executes nothing after an error, even if the caller swallows it.
    const failing = poison(inner, () => {
      failed = true;
    });
    try {
      const result = await work(failing);
      if (failed)
        throw new AppError('storage.unavailable', { detail: 'an earlier statement of the transaction failed' });
      undo = null;
      endOfFeedPosition();
      for (const signal of announced) signals.deliver(signal);
      return result;
    } catch (error) {
      rollback(steps);
      feed.end();
      throw error;
    }
  }

  const outer = Object.fromEntries(
    Object.entries(stores(atOnce)).map(([name, store]) => [name, guarded(store)]),
  ) as unknown as Stores;

  return {
    ...outer,
    documents: inNextTurn(outer.documents),
    indexes: guarded(createIndexStore(state)),
    statistics: guarded(createStatisticsStore(state)),
    signals: signals.feed,
    async transaction(work) {
      assertOpen();
      return inTurn(() => attempt(work), nextTurn());
    },
    async migrate() {
      assertOpen();
    },
    async health() {
      assertOpen();
    },
    async close() {
      await last;
      closed = true;
    },
  };
}
