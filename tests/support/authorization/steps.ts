import { type FollowStep, followSteps } from './follow-steps.ts';

/**
 * Steps of a run of the authorization model. Everything is identified by a number, so that a run stays valid if some
 * steps are omitted. Failing runs are shrunk this way.
 */

export const USERS = 12;
const ROLES = 4;
const GROUPS = 8;
export const DOCUMENTS = 60;
export const COLLECTIONS = 2;
/** Number of replicas synced by the change feed. */
export const SUBSCRIBERS = 20;
/** Upper bound (exclusive) of the field `n`. */
const VALUES = 100;

const ACTIONS = ['read', 'update', 'delete', 'all'] as const;
export type Action = (typeof ACTIONS)[number];

const RULE_ACTIONS = ['create', 'read', 'update', 'delete'] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

const BUILT_IN = ['registereduser', 'administrator', 'BackOffice', 'anonymous'] as const;
/** A built-in role by name, or a custom one by number. */
export type RoleRef = (typeof BUILT_IN)[number] | number;
export type GroupRole = 'owner' | 'manager' | 'member';
export type Grantee = { readonly user: number } | { readonly role: RoleRef } | { readonly group: number };
export type Caller = number | 'admin' | 'anonymous';

/** Rules set by a step, by action; other rules stay unchanged. */
export type RulesStep = { readonly op: 'set rules'; readonly collection: number } & {
  readonly rules: { readonly [Action in RuleAction]?: readonly RoleRef[] };
};

export interface Given {
  readonly action: Action;
  readonly to: Grantee;
}

export type DocumentStep = { readonly by: Caller; readonly doc: number } & (
  | { readonly op: 'create'; readonly collection: number; readonly n: number; readonly allow: readonly Given[] }
  | { readonly op: 'replace' | 'set n'; readonly n: number }
  | { readonly op: 'delete' }
  | ({ readonly op: 'grant' | 'revoke' } & Given)
  | { readonly op: 'acl'; readonly allow: readonly Given[] }
);

export type GroupStep = { readonly by: Caller; readonly group: number } & (
  | { readonly op: 'make group' | 'delete group' }
  | { readonly op: 'set member'; readonly user: number; readonly role: GroupRole }
  | { readonly op: 'remove member'; readonly user: number }
  | { readonly op: 'accept invitation' | 'decline invitation' }
);

/** A subscriber reads the change feed; `compare` then compares its replica with a list. */
export type FeedStep = { readonly op: 'catch up' | 'compare'; readonly subscriber: number };

export type Step =
  | FeedStep
  | DocumentStep
  | GroupStep
  | { readonly op: 'sign up' | 'remove user' | 'suspend' | 'activate'; readonly user: number }
  | { readonly op: 'give role'; readonly user: number; readonly role: RoleRef }
  | { readonly op: 'add role' | 'remove role'; readonly role: number }
  | { readonly op: 'rename role'; readonly role: number; readonly to: number }
  | FollowStep
  | { readonly op: 'followers read'; readonly on: boolean }
  | RulesStep
  | { readonly op: 'remake collection'; readonly collection: number };

export const isDocumentStep = (step: Step): step is DocumentStep => 'doc' in step;
export const isFeedStep = (step: Step): step is FeedStep => 'subscriber' in step;
export const isGroupStep = (step: Step): step is GroupStep => 'group' in step;

/** Creates pseudo-random numbers from 0 (inclusive) to 1 (exclusive), reproducible by seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    chance: (probability: number) => next() < probability,
    pick: <T>(choices: readonly T[]): T => choices[below(choices.length)] as T,
    several: <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make),
  };
}

export type Random = ReturnType<typeof createRandom>;

/** Picks a value by weight. */
function weighted<T>(random: Random, makers: ReadonlyArray<readonly [weight: number, make: () => T]>): T {
  let left = random.below(makers.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of makers) {
    if (left < weight) return make();
    left -= weight;
  }
  throw new Error('no value has a weight');
}

/**
 * Generates the endless steps of a run. Document calls of one caller come several in a row, and so do steps about two
 * users. The setting is shared between runs, so no step changes it.
 */
export function* generateSteps(random: Random): Generator<Step> {
  const { below, chance, pick, several } = random;
  const role = (): RoleRef => (chance(0.5) ? below(ROLES) : pick(BUILT_IN));
  const grantee = (): Grantee =>
    weighted<Grantee>(random, [
      [5, () => ({ user: below(USERS) })],
      [3, () => ({ role: role() })],
      [4, () => ({ group: below(GROUPS) })],
    ]);
  const given = (): Given => ({ action: chance(0.5) ? 'read' : pick(ACTIONS), to: grantee() });
  const user = () => below(USERS);
  const near = (place: number) => (chance(0.7) ? (place + 1 + below(2)) % USERS : user());
  const n = () => below(VALUES);

  const onDocument = (by: Caller): DocumentStep => {
    // Half of the time, a collection that the caller mostly writes to. Otherwise hardly any caller would have
    // permissions.
    const doc = typeof by === 'number' && chance(0.5) ? by + USERS * below(DOCUMENTS / USERS) : below(DOCUMENTS);
    const place = { by, doc };
    return weighted<DocumentStep>(random, [
      [30, () => ({ ...place, op: 'create', collection: below(COLLECTIONS), n: n(), allow: several(2, given) })],
      [12, () => ({ ...place, op: 'replace', n: n() })],
      [8, () => ({ ...place, op: 'set n', n: n() })],
      [8, () => ({ ...place, op: 'delete' })],
      [22, () => ({ ...place, op: 'grant', ...given() })],
      [13, () => ({ ...place, op: 'revoke', ...given() })],
      [7, () => ({ ...place, op: 'acl', allow: several(4, given) })],
    ]);
  };

  const rules = (): RulesStep['rules'] => {
    const action = pick(RULE_ACTIONS);
    // Half of the time, the usual rule. Otherwise hardly anyone could create, or everyone could do everything.
    if (chance(0.5)) return { [action]: action === 'create' ? ['registereduser'] : [] };
    return { [action]: several(2, role), [pick(RULE_ACTIONS)]: several(1, role) };
  };

  const onGroups = (): GroupStep => {
    const group = below(GROUPS);
    const by = chance(0.1) ? 'admin' : user();
    return weighted<GroupStep>(random, [
      [8, () => ({ op: 'make group', by: user(), group })],
      [1, () => ({ op: 'delete group', by, group })],
      [24, () => ({ op: 'set member', by, group, user: user(), role: pick(['member', 'member', 'manager', 'owner']) })],
      [16, () => ({ op: 'accept invitation', by: user(), group })],
      [2, () => ({ op: 'decline invitation', by: user(), group })],
      [8, () => ({ op: 'remove member', by, group, user: chance(0.5) && by !== 'admin' ? by : user() })],
    ]);
  };

  const onRelations = (): Step => weighted<Step>(random, followSteps({ user, near, pick }));

  const onOthers = (): Step =>
    weighted<Step>(random, [
      [50, onGroups],
      [14, () => ({ op: 'sign up', user: user() })],
      [4, () => ({ op: 'remove user', user: user() })],
      [7, () => ({ op: 'suspend', user: user() })],
      [9, () => ({ op: 'activate', user: user() })],
      [4, () => ({ op: 'give role', user: user(), role: 'registereduser' })],
      [6, () => ({ op: 'give role', user: user(), role: role() })],
      [7, () => ({ op: 'add role', role: below(ROLES) })],
      [3, () => ({ op: 'remove role', role: below(ROLES) })],
      [3, () => ({ op: 'rename role', role: below(ROLES), to: below(ROLES) })],
      [4, () => ({ op: 'set rules', collection: below(COLLECTIONS), rules: rules() })],
      [1, () => ({ op: 'remake collection', collection: below(COLLECTIONS) })],
    ]);

  const caller = (): Caller =>
    weighted<Caller>(random, [
      [6, () => 'anonymous'],
      [10, () => 'admin'],
      [84, user],
    ]);

  for (let place = 0; place < USERS; place++) yield { op: 'sign up', user: place };
  for (;;) {
    if (chance(0.2)) yield onOthers();
    else if (chance(0.4)) for (let left = 1 + below(12); left > 0; left--) yield onRelations();
    else {
      const by = caller();
      for (let left = 1 + below(16); left > 0; left--) yield onDocument(by);
    }
  }
}
