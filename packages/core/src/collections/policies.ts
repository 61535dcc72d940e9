import { allows, type Principal, RIGHTS, type Rights, rolePrincipal } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Clock } from '../ports/clock.ts';
import type { CollectionRules } from '../ports/storage/collections.ts';
import type { Storage } from '../ports/storage/storage.ts';
import { createSignalCache } from '../signal-cache.ts';

/** Rules and schema of a collection, in the form that requests need. */
export interface CollectionPolicy {
  /** Principals that may create documents; null for every user. */
  readonly creators: ReadonlySet<Principal> | null;
  /** Rights of principals on every document under the rules. */
  readonly rights: ReadonlyMap<Principal, Rights>;
  /** Version of the schema; null without one. */
  readonly schema: string | null;
}

/** Policies by collection key. Collections without rules and schema are absent. */
export type Policies = ReadonlyMap<string, CollectionPolicy>;

export interface PoliciesReader {
  current(): Promise<Policies>;
}

const RULED = ['read', 'update', 'delete'] as const;

function policyOf(rules: CollectionRules | undefined, schema: string | null): CollectionPolicy {
  const rights = new Map<Principal, Rights>();
  if (rules === undefined) return { creators: null, rights, schema };
  for (const action of RULED) {
    for (const principal of rules[action].map(rolePrincipal)) {
      rights.set(principal, (rights.get(principal) ?? 0) | RIGHTS[action]);
    }
  }
  return { creators: rules.create === null ? null : new Set(rules.create.map(rolePrincipal)), rights, schema };
}

/** Returns an actor's rights on every document of the collection under a policy. */
export function ruledRights({ principals }: Actor, { rights }: CollectionPolicy): Rights {
  let held = 0;
  for (const principal of principals) held |= rights.get(principal) ?? 0;
  return held;
}

/**
 * Returns the keys of the collections whose rules allow the actor to read every document; none for actors who can read
 * everything anyway.
 */
export function openTo(actor: Actor, policies: Policies): readonly string[] {
  if (actor.isPrivileged) return [];
  return Array.from(policies).flatMap(([key, policy]) => (allows(ruledRights(actor, policy), 'read') ? [key] : []));
}

export function mayCreate({ isPrivileged, principals }: Actor, { creators }: CollectionPolicy): boolean {
  return creators === null || isPrivileged || principals.some((principal) => creators.has(principal));
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
      const keys = new Set([...rules.keys(), ...schemas.keys()]);
      return new Map(Array.from(keys, (key) => [key, policyOf(rules.get(key), schemas.get(key) ?? null)]));
    },
  });
}
