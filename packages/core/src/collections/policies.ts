import {
  allows,
  isByDocument,
  type Principal,
  RIGHTS,
  type Rights,
  type RuledAccess,
  rolePrincipal,
} from '../access.ts';
import type { Actor } from '../actor.ts';
import { createSignalCache } from '../caches.ts';
import { parsePathText } from '../criteria/operands.ts';
import { bindCaller, parseRule } from '../criteria/rules.ts';
import type { Condition, Path } from '../criteria/syntax.ts';
import type { Clock } from '../ports/clock.ts';
import type { CheckedAction, CollectionRules, ParentRule, Rule } from '../ports/storage/collections.ts';
import type { StoredSearchIndex } from '../ports/storage/search-indexes.ts';
import type { Storage } from '../ports/storage/storage.ts';

/** A compiled rule of a role. */
interface CompiledRule {
  readonly principal: Principal;
  /** Null for every document. */
  readonly condition: Condition | null;
}

/** A rule on existing documents. */
interface RightsRule extends CompiledRule {
  readonly rights: Rights;
}

/** A compiled check. */
export interface CompiledCheck {
  readonly condition: Condition;
  readonly message: string | null;
}

/** Rules, schema and the indexes that affect writes of a collection, in the form that requests need. */
export interface CollectionPolicy {
  /** Rules for creating documents; null if every user may. */
  readonly create: readonly CompiledRule[] | null;
  /** Rules for documents that exist. */
  readonly rules: readonly RightsRule[];
  readonly parent: (ParentRule & { readonly path: Path }) | null;
  readonly checks: { readonly [Action in CheckedAction]?: CompiledCheck };
  /** Version of the schema; null without one. */
  readonly schema: string | null;
  /** Paths of each unique index. */
  readonly unique: readonly (readonly Path[])[];
  /** Null without a search index. */
  readonly search: StoredSearchIndex | null;
}

/** Policies by collection key. Collections without any are absent. */
export type Policies = ReadonlyMap<string, CollectionPolicy>;

export interface PoliciesReader {
  current(): Promise<Policies>;
}

const RULED = ['read', 'update', 'delete'] as const;

const compiled = ({ role, condition }: Rule): CompiledRule => ({
  principal: rolePrincipal(role),
  condition: condition === null ? null : parseRule('condition', condition),
});

/** Returns the conditions and checks of the rules of a collection. */
export function expressionsIn(rules: CollectionRules): readonly Condition[] {
  const { create, rules: others, checks } = policyOf(rules, { schema: null, unique: [], search: null });
  const conditions = [...(create ?? []), ...others].flatMap(({ condition }) => condition ?? []);
  return [...conditions, ...Object.values(checks).map(({ condition }) => condition)];
}

/** Returns the rules of a collection, compiled. */
export function policyOf(
  rules: CollectionRules | undefined,
  rest: Pick<CollectionPolicy, 'schema' | 'unique' | 'search'>,
): CollectionPolicy {
  if (rules === undefined) return { create: null, rules: [], parent: null, checks: {}, ...rest };
  const { create, parent, checks } = rules;
  const check = ([action, { expression, message }]: [string, { expression: string; message: string | null }]) => [
    action,
    { condition: parseRule('check', expression), message },
  ];
  return {
    create: create === null ? null : create.map(compiled),
    rules: RULED.flatMap((action) => rules[action].map((rule) => ({ ...compiled(rule), rights: RIGHTS[action] }))),
    parent: parent === null ? null : { ...parent, path: parsePathText(parent.field) },
    checks: Object.fromEntries(Object.entries(checks).map(check)),
    ...rest,
  };
}

/** Returns an actor's rights on every document of the collection under a policy. */
export function ruledRights({ principals }: Actor, { rules }: CollectionPolicy): Rights {
  let held = 0;
  for (const { principal, condition, rights } of rules) {
    if (condition === null && principals.includes(principal)) held |= rights;
  }
  return held;
}

/** Returns an actor's rights on the documents of the collection under a policy. */
export function ruledAccess(actor: Actor, policy: CollectionPolicy): RuledAccess {
  const { path, collection, needs } = policy.parent ?? { path: null, collection: null, needs: null };
  return {
    rights: ruledRights(actor, policy),
    conditions: policy.rules.flatMap(({ principal, condition, rights }) =>
      condition !== null && actor.principals.includes(principal)
        ? [{ rights, where: bindCaller(condition, actor) }]
        : [],
    ),
    parent: path === null ? null : { path, collection, needs },
  };
}

/**
 * Returns the keys of the collections whose rules allow the actor to read every document; none for actors who can read
 * everything anyway.
 */
export function openTo(actor: Actor, policies: Policies): readonly string[] {
  if (actor.isPrivileged) return [];
  return Array.from(policies).flatMap(([key, policy]) => (allows(ruledRights(actor, policy), 'read') ? [key] : []));
}

/**
 * Returns the actor's rights under all policies, as `AccessScope.rules`; undefined if in none of `keys` they depend on
 * the document, or the actor can read everything anyway.
 *
 * @param keys collections of the addressed documents; null for all
 */
export function rulesFor(
  actor: Actor,
  policies: Policies,
  keys: readonly string[] | null,
): ReadonlyMap<string, RuledAccess> | undefined {
  if (actor.isPrivileged) return undefined;
  const rules = new Map(Array.from(policies, ([key, policy]) => [key, ruledAccess(actor, policy)]));
  const addressed = keys ?? Array.from(rules.keys());
  return addressed.some((key) => isByDocument(rules.get(key))) ? rules : undefined;
}

/** Returns the condition under which the actor may create documents: true for any, false for none. */
export function mayCreate(actor: Actor, { create }: CollectionPolicy): boolean | Condition {
  if (create === null || actor.isPrivileged) return true;
  const own = create.filter(({ principal }) => actor.principals.includes(principal));
  if (own.some(({ condition }) => condition === null)) return true;
  const conditions = own.flatMap(({ condition }) => condition ?? []);
  return conditions.length > 0 && bindCaller({ kind: 'or', conditions }, actor);
}

export interface PoliciesDeps {
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Caches the policies of all collections. */
export function createPolicies({ storage, clock }: PoliciesDeps) {
  return createSignalCache<Policies>({
    signals: storage.signals,
    clock,
    topics: ['collections', 'roles'],
    async read() {
      const rules = await storage.collections.rules();
      const schemas = await storage.collections.schemaVersions();
      const unique = await storage.indexes.unique();
      const searches = await storage.searchIndexes.all();
      const keys = new Set([...rules.keys(), ...schemas.keys(), ...unique.keys(), ...searches.keys()]);
      const restOf = (key: string) => ({
        schema: schemas.get(key) ?? null,
        unique: unique.get(key) ?? [],
        search: searches.get(key) ?? null,
      });
      return new Map(Array.from(keys, (key) => [key, policyOf(rules.get(key), restOf(key))]));
    },
  });
}
