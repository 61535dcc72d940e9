import { rolePrincipal } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type { Clock } from '../ports/clock.ts';
import type { CollectionRules, RuleAction, RulesChange } from '../ports/storage/collections.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import { ROLES, roleKey } from '../roles/roles.ts';
import { collectionKey } from './collections.ts';

const RULE_ACTIONS = ['create', 'read', 'update', 'delete'] as const satisfies readonly RuleAction[];
/** Maximum number of roles in one rule. */
const MAX_ROLES = 100;

/** Rules as shown to administrators, with role names. */
export type ShownRules = { readonly [Action in RuleAction]: readonly string[] };

const NO_RULES: CollectionRules = { create: null, read: [], update: [], delete: [] };

const shown = ({ create, ...rules }: CollectionRules): ShownRules => ({
  create: create ?? [ROLES.registered],
  ...rules,
});

/** Returns the keys that are in only one of two lists, ordered. */
const changed = (before: readonly string[], after: readonly string[]): string[] =>
  [...before.filter((one) => !after.includes(one)), ...after.filter((one) => !before.includes(one))].toSorted();

const isRuleAction = (name: string): name is RuleAction => RULE_ACTIONS.some((action) => action === name);

/** Parses the names in one rule. @throws `input.array_expected`, `input.invalid` */
function parseNames(action: RuleAction, value: JsonValue | undefined): string[] {
  if (!Array.isArray(value)) throw new AppError('input.array_expected', { detail: action, input: `/${action}` });
  if (value.length > MAX_ROLES) {
    throw new AppError('input.invalid', {
      detail: `a rule names at most ${MAX_ROLES} roles`,
      input: `/${action}`,
    });
  }
  return value.map((name, at) => {
    const input = `/${action}/${at}`;
    if (typeof name !== 'string')
      throw new AppError('input.invalid', { detail: 'the name of a role is expected', input });
    if (action !== 'read' && roleKey(name) === ROLES.anonymous) {
      throw new AppError('input.invalid', { detail: `"${ROLES.anonymous}" is allowed only in "read"`, input });
    }
    return name;
  });
}

/** @throws `input.array_expected`, `input.invalid` */
function parseChange({ value }: ParsedJson): Array<readonly [RuleAction, string[]]> {
  if (!isJsonObject(value)) {
    throw new AppError('input.invalid', { detail: `an object with ${RULE_ACTIONS.join(', ')} is expected`, input: '' });
  }
  return Object.entries(value).map(([action, names]) => {
    if (isRuleAction(action)) return [action, parseNames(action, names)];
    throw new AppError('input.invalid', {
      detail: `there is no rule "${action}": use ${RULE_ACTIONS.join(', ')}`,
      input: `/${action.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    });
  });
}

export interface CollectionRuleDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
}

export type CollectionRuleAdmin = ReturnType<typeof createCollectionRuleAdmin>;

/**
 * Rules of collections: the roles that may create documents, and those that may read, update or delete every document,
 * regardless of its grants. Every method: @throws `auth.required`, `admin.required`, `collection.not_found`
 */
export function createCollectionRuleAdmin({ storage, clock, audit }: CollectionRuleDeps) {
  async function read(stores: Stores, key: string): Promise<ShownRules> {
    if ((await stores.collections.findName(key)) === null) throw new AppError('collection.not_found');
    return shown((await stores.collections.rules()).get(key) ?? NO_RULES);
  }

  /** Returns the keys of the roles, each once. @throws `grant.role_unknown` */
  async function keysOf(stores: Stores, action: RuleAction, names: readonly string[]): Promise<string[]> {
    const keys = new Set<string>();
    for (const [at, name] of names.entries()) {
      const key = roleKey(name);
      if (!keys.has(key) && (await stores.roles.findByKey(key)) === null) {
        throw new AppError('grant.role_unknown', { detail: `"${name}"`, input: `/${action}/${at}` });
      }
      keys.add(key);
    }
    return Array.from(keys);
  }

  /** Marks that the permissions of the users of these roles change in the collection. */
  async function markReaders(stores: Stores, collection: string, roles: readonly string[]): Promise<void> {
    for (const role of roles) {
      await stores.changes.markVisibility({ audience: rolePrincipal(role), collection, reason: 'rules' }, clock.now());
    }
  }

  return {
    async read(actor: Actor, name: string): Promise<ShownRules> {
      requireAdmin(actor);
      return read(storage, collectionKey(name));
    },

    /**
     * Replaces the rules in the body. The others stay unchanged. Resolves to all rules.
     *
     * @throws `input.array_expected`, `input.invalid`, `grant.role_unknown`
     */
    async change(actor: Actor, { name, body }: { name: string; body: ParsedJson }): Promise<ShownRules> {
      requireAdmin(actor);
      const wanted = parseChange(body);
      const key = collectionKey(name);
      return audit.transaction(storage.transaction, async (stores, record) => {
        const change: { [Action in RuleAction]?: readonly string[] } = {};
        for (const [action, names] of wanted) change[action] = await keysOf(stores, action, names);
        const before = await stores.collections.setRules(key, change satisfies RulesChange);
        if (before === null) throw new AppError('collection.not_found');
        await markReaders(stores, key, changed(before.read ?? [], change.read ?? []));
        await stores.announcer.announce({ topic: 'collections', key });
        const rules = await read(stores, key);
        const details = Object.fromEntries(wanted.map(([action]) => [action, rules[action].join(' ')]));
        record(actor, 'rules.changed', { to: { kind: 'collection', id: key, name }, details });
        return rules;
      });
    },
  };
}
