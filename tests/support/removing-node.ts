import { createMemoryBlobs } from '@baobab/adapters/memory';
import { createNodeSecrets, createSystemTimers } from '@baobab/adapters/system';
import { maintain, uuid } from '@baobab/contracts/storage';
import {
  createActor,
  createCascades,
  createCollections,
  createGroups,
  createHousekeeping,
  createPolicies,
  createRemovals,
  createUserAdmin,
  type FreshLogin,
  type Guesses,
  NO_HOOKS,
  NO_LIMITS,
  type Notices,
  type PasswordRules,
  type Passwords,
  type Settings,
  type Storage,
} from '@baobab/core';
import { testAudit } from './audit.ts';
import { type HandDrivenClock, trusting } from './clock.ts';
import { silentLogger as logger } from './logger.ts';

export interface RemovingNodeOptions {
  readonly storage: Storage;
  readonly clock: HandDrivenClock;
  /** Runs before each part of a removal, the n-th on this node. */
  readonly beforePart?: (n: number) => Promise<unknown>;
}

/** Starts a node that removes users, collections and groups, and does the housekeeping. */
export function startRemovingNode({ storage, clock, beforePart = async () => undefined }: RemovingNodeOptions) {
  let parts = 0;
  const secrets = createNodeSecrets('removals');
  const removals = createRemovals({
    storage: {
      ...storage,
      async maintain(limit) {
        await beforePart(++parts);
        return maintain(storage, limit);
      },
    },
    clock,
    secrets,
    timers: createSystemTimers(),
    logger,
  });
  const settings = {
    current: async () => ({
      'changes.retention.days': 1,
      'audit.retention.days': 0,
      'session_tokens.timeout': 0,
      'session_tokens.lifetime': 0,
      'guests.expire.days': 30,
    }),
  } as unknown as Settings;
  const policies = createPolicies({ storage, clock });
  const blobs = createMemoryBlobs();
  const cascades = createCascades({ storage, blobs, clock, policies, settings });
  const userAdmin = createUserAdmin({
    storage,
    removals,
    clock,
    secrets,
    audit: testAudit(),
    settings,
    notices: {} as Notices,
    passwords: {} as Passwords,
    cascades,
    passwordRules: {} as PasswordRules,
    freshLogin: {} as FreshLogin,
    guesses: {} as Guesses,
    hooks: NO_HOOKS,
  });
  const collections = createCollections({ storage, secrets, clock, removals, cascades });
  const groups = createGroups({ storage, secrets, clock, settings, removals, hooks: NO_HOOKS, limiter: NO_LIMITS });
  const admin = createActor({ id: uuid(), name: 'admin', role: 'administrator' }, null);
  return {
    removals,
    /** Returns the number of parts this node has begun. */
    parts: () => parts,
    removeUser: (name: string) => userAdmin.remove(admin, name, { password: null, address: '' }),
    removeCollection: (name: string) => collections.remove(admin, name),
    removeGroup: (id: string) => groups.remove(admin, id),
    housekeeping: createHousekeeping({
      storage,
      blobs,
      clock,
      secrets,
      settings,
      logger,
      erasures: { eraseDue: async () => 0 },
      removals,
      policies,
      timeWatch: trusting(clock),
    }),
  };
}

/** Returns a hook that simulates a node killed before its n-th part: it never continues, and `death` resolves. */
export function killedAtPart(n: number) {
  let kill: () => void = () => undefined;
  const death = new Promise<void>((resolve) => {
    kill = resolve;
  });
  async function beforePart(part: number): Promise<void> {
    if (part < n) return;
    kill();
    await new Promise<never>(() => undefined);
  }
  return { beforePart, death };
}
