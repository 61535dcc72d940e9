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
/** Number of documents that are the parents of many. */
const PARENTS = 6;
/** Number of documents created before anything else. */
const FIRST_DOCUMENTS = 30;
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

/** Conditions of rules: `n >= 50`, or the caller is the friend of the document. */
export type ConditionName = 'big' | 'friend';
/** Checks: `n` does not shrink, unless the caller is the friend; small documents only. */
export type CheckName = 'grows' | 'small';

export interface RuleItem {
  readonly role: RoleRef;
  readonly if: ConditionName | null;
}

export interface ParentItem {
  /** True if the rule names the other collection as that of the parents. */
  readonly named: boolean;
  readonly needs: { readonly [Rule in RuleAction]: Action | null };
  readonly onDelete: 'cascade' | 'restrict' | 'detach';
}

/** Rules set by a step, by action; other rules stay unchanged. */
export type RulesStep = { readonly op: 'set rules'; readonly collection: number } & {
  readonly rules: { readonly [Action in RuleAction]?: readonly RuleItem[] };
  readonly parent?: ParentItem | null;
  /** All checks. */
  readonly checks?: { readonly [Action in Exclude<RuleAction, 'read'>]?: CheckName };
};

/** Content of a document, besides `n`: the number of its parent, and of its friend. */
export interface Links {
  readonly in: number | null;
  readonly friend: number | null;
}

export interface Given {
  readonly action: Action;
  readonly to: Grantee;
}

export type DocumentStep = { readonly by: Caller; readonly doc: number } & (
  | ({ readonly op: 'create'; readonly collection: number; readonly n: number } & Links & {
        readonly allow: readonly Given[];
      })
  | ({ readonly op: 'replace'; readonly n: number } & Links)
  | { readonly op: 'set n'; readonly n: number }
  | { readonly op: 'move'; readonly in: number }
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

/** Leaves out absent members. */
const definedOf = <T extends object>(members: { [Name in keyof T]: T[Name] | undefined }): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Picks a value by weight. */
function weighted<T>(random: Random, makers: ReadonlyArray<readonly [weight: number, make: () => T]>): T {
  let left = random.below(makers.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of makers) {
    if (left < weight) return make();
    left -= weight;
  }
  throw new Error('no value has a weight');
}

/** Creates generators of changes of rules. */
function createRuleSteps(random: Random, role: () => RoleRef) {
  const { below, chance, pick, several } = random;
  const item = (): RuleItem => ({ role: role(), if: chance(0.5) ? null : pick(['big', 'friend']) });
  const rules = (): RulesStep['rules'] => {
    const action = pick(RULE_ACTIONS);
    // Half of the time, the usual rule. Otherwise hardly anyone could create, or everyone could do everything.
    if (chance(0.5)) return { [action]: action === 'create' ? [{ role: 'registereduser', if: null }] : [] };
    return { [action]: several(2, item), [pick(RULE_ACTIONS)]: several(1, item) };
  };

  const need = (usual: Action) => (chance(0.6) ? usual : pick([null, ...ACTIONS]));
  const parent = (collection: number): ParentItem | null => {
    if (chance(0.3)) return null;
    const needs = {
      create: chance(0.5) ? null : need('update'),
      read: need('read'),
      update: need('update'),
      delete: need('update'),
    };
    return {
      named: collection === 1 && chance(0.5),
      needs,
      onDelete: pick(['cascade', 'restrict', 'detach', 'detach']),
    };
  };
  const check = (): CheckName | undefined => pick([undefined, undefined, 'grows', 'small']);

  const onRules = (): RulesStep => {
    // Mostly the second collection inherits from the first.
    const collection = below(COLLECTIONS);
    const step = { op: 'set rules', collection } as const;
    if (chance(0.4)) return { ...step, rules: rules() };
    if (chance(0.6)) return { ...step, rules: {}, parent: collection === 0 && chance(0.7) ? null : parent(collection) };
    return { ...step, rules: {}, checks: definedOf({ create: check(), update: check(), delete: check() }) };
  };
  return { onRules, parent };
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
  /** Even documents are mostly in the first collection, and a few of them are the parents of many odd ones. */
  const collectionOf = (doc: number) => (chance(0.9) ? doc % COLLECTIONS : below(COLLECTIONS));
  const parentPlace = () => (chance(0.9) ? 2 * below(PARENTS) : below(DOCUMENTS));
  const links = (doc: number): Links => ({
    in: chance(doc % 2 === 0 ? 0.1 : 0.8) ? parentPlace() : null,
    friend: chance(0.4) ? below(USERS) : null,
  });
  const near = (place: number) => (chance(0.7) ? (place + 1 + below(2)) % USERS : user());
  const n = () => below(VALUES);

  const create = (place: { readonly by: Caller; readonly doc: number }): DocumentStep => ({
    ...place,
    ...links(place.doc),
    op: 'create',
    collection: collectionOf(place.doc),
    n: n(),
    allow: several(2, given),
  });

  const onDocument = (by: Caller): DocumentStep => {
    // Half of the time, a collection that the caller mostly writes to. Otherwise hardly any caller would have
    // permissions.
    const doc = typeof by === 'number' && chance(0.5) ? by + USERS * below(DOCUMENTS / USERS) : below(DOCUMENTS);
    const place = { by, doc };
    return weighted<DocumentStep>(random, [
      [30, () => create(place)],
      [12, () => ({ ...place, ...links(doc), op: 'replace', n: n() })],
      [5, () => ({ ...place, op: 'move', in: parentPlace() })],
      [8, () => ({ ...place, op: 'set n', n: n() })],
      [8, () => ({ ...place, op: 'delete' })],
      [22, () => ({ ...place, op: 'grant', ...given() })],
      [13, () => ({ ...place, op: 'revoke', ...given() })],
      [7, () => ({ ...place, op: 'acl', allow: several(4, given) })],
    ]);
  };

  const { onRules, parent } = createRuleSteps(random, role);

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
      [16, onRules],
      [1, () => ({ op: 'remake collection', collection: below(COLLECTIONS) })],
    ]);

  const caller = (): Caller =>
    weighted<Caller>(random, [
      [6, () => 'anonymous'],
      [10, () => 'admin'],
      [84, user],
    ]);

  /** Signs up everyone, and creates documents. */
  function* firstSteps(): Generator<Step> {
    for (let place = 0; place < USERS; place++) yield { op: 'sign up', user: place };
    for (let doc = 0; doc < FIRST_DOCUMENTS; doc++) yield create({ by: doc % USERS, doc });
    // Most runs begin with inheritance.
    if (chance(0.7)) yield { op: 'set rules', collection: 1, rules: {}, parent: parent(1) };
  }

  yield* firstSteps();
  for (;;) {
    if (chance(0.2)) yield onOthers();
    else if (chance(0.4)) for (let left = 1 + below(12); left > 0; left--) yield onRelations();
    else {
      const by = caller();
      for (let left = 1 + below(16); left > 0; left--) yield onDocument(by);
    }
  }
}
