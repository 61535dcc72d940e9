import { EVERYBODY, isPrivileged, MAX_ANCESTORS, ROLES, roleKey, rolePrincipal } from '../access.ts';
import { type Actor, requireAdmin } from '../actor.ts';
import type { Audit } from '../audit/audit.ts';
import { AppError } from '../errors.ts';
import type { ParsedJson } from '../json-text.ts';
import type { Clock } from '../ports/clock.ts';
import {
  type Check,
  type CheckedAction,
  type CollectionRules,
  NO_RULES,
  type ParentRule,
  type Rule,
  type RuleAction,
  type RulesChange,
} from '../ports/storage/collections.ts';
import type { Storage, Stores } from '../ports/storage/storage.ts';
import type { FreshLogin, Presence } from '../sessions/fresh-login.ts';
import { collectionKey } from './collections.ts';
import { parseRulesBody, RULE_ACTIONS, type RulesBody } from './rules-body.ts';
import { inheritorMarks } from './visibility.ts';

/** An item of a rule as shown: the name of a role, or with a condition. */
type ShownRule = string | { readonly role: string; readonly if: string };

type PerCheck = { readonly [Action in CheckedAction]?: string };

/** Rules as shown to administrators, with role names. */
export type ShownRules = { readonly [Action in RuleAction]: readonly ShownRule[] } & {
  readonly parent:
    | ({ readonly field: string; readonly collection: string | null } & ParentRule['needs'] &
        Pick<ParentRule, 'onDelete'>)
    | null;
  readonly check: PerCheck;
  readonly messages: PerCheck;
};

type Checks = CollectionRules['checks'];

const shownItems = (rules: readonly Rule[]): ShownRule[] =>
  rules.map(({ role, condition }) => (condition === null ? role : { role, if: condition }));

/** Returns one member of each check. */
const eachOf = (checks: Checks, member: keyof Check): PerCheck =>
  Object.fromEntries(
    Object.entries(checks).flatMap(([action, check]) => (check[member] === null ? [] : [[action, check[member]]])),
  );

const shown = ({ create, parent, checks, ...rules }: CollectionRules): ShownRules => ({
  create: create === null ? [ROLES.registered] : shownItems(create),
  read: shownItems(rules.read),
  update: shownItems(rules.update),
  delete: shownItems(rules.delete),
  parent:
    parent === null
      ? null
      : { field: parent.field, collection: parent.collection, ...parent.needs, onDelete: parent.onDelete },
  check: eachOf(checks, 'expression'),
  messages: eachOf(checks, 'message'),
});

/** Returns the checks after a change. @throws `input.invalid` for a message without a check */
function checksAfter(before: Checks, { check, messages }: RulesBody): Checks {
  const expressions = check ?? eachOf(before, 'expression');
  const texts = messages ?? eachOf(before, 'message');
  const alone = Object.keys(messages ?? {}).find((action) => !(action in expressions));
  if (alone !== undefined) {
    throw new AppError('input.invalid', { detail: `there is no check for ${alone}`, input: `/messages/${alone}` });
  }
  return Object.fromEntries(
    Object.entries(expressions).map(([action, expression]) => [
      action,
      { expression, message: texts[action as CheckedAction] ?? null },
    ]),
  );
}

const textOf = ({ role, condition }: Rule) => `${roleKey(role)} ${condition ?? ''}`;

/** Returns the roles of the rules that are in only one of two lists. */
function changedRoles(before: readonly Rule[], after: readonly Rule[]): Set<string> {
  const only = (rules: readonly Rule[], others: readonly Rule[]) =>
    rules.filter((rule) => !others.some((other) => textOf(other) === textOf(rule)));
  return new Set([...only(before, after), ...only(after, before)].map(({ role }) => roleKey(role)));
}

/** The rule that applies to creating documents while none is set. */
const USUAL_CREATE: readonly Rule[] = [{ role: ROLES.registered, condition: null }];

/** Returns what a parent passes on to its children. */
const passedOn = (parent: ParentRule | null) =>
  parent === null ? null : JSON.stringify([parent.field, parent.collection, parent.needs]);

/**
 * Returns true if a change of rules can give somebody rights that they did not have: with another rule for a role, by
 * inheritance, or without a check.
 */
function opens(before: CollectionRules, after: CollectionRules): boolean {
  const adds = RULE_ACTIONS.some((action) => {
    const known = new Set((before[action] ?? USUAL_CREATE).map(textOf));
    return (after[action] ?? USUAL_CREATE).some(
      (rule) => !isPrivileged(roleKey(rule.role)) && !known.has(textOf(rule)),
    );
  });
  const inherits = after.parent !== null && passedOn(after.parent) !== passedOn(before.parent);
  const isUnchecked = Object.entries(before.checks).some(
    ([action, { expression }]) => after.checks[action as CheckedAction]?.expression !== expression,
  );
  return adds || inherits || isUnchecked;
}

/** Returns a collection and those from which it inherits, in order, up to one more than allowed: a cycle has no end. */
function chainFrom(from: string, parents: ReadonlyMap<string, ParentRule | null>): string[] {
  const chain: string[] = [];
  for (let next: string | null = from; next !== null && chain.length <= MAX_ANCESTORS + 1; ) {
    chain.push(next);
    next = parents.get(next)?.collection ?? null;
  }
  return chain;
}

/** A change of the rules of a collection, as in a request. */
export interface RulesToChange {
  readonly name: string;
  readonly body: ParsedJson;
}

interface WithPresence {
  readonly presence: Presence;
}

export interface CollectionRuleDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly freshLogin: FreshLogin;
  /** The use cases of indexes. */
  readonly indexes: {
    declare(actor: Actor, place: { of: { collection: string }; path: string }): Promise<unknown>;
  };
}

export type CollectionRuleAdmin = ReturnType<typeof createCollectionRuleAdmin>;

/**
 * Rules of collections. They add permissions to the grants of documents: for roles, on all documents or on those that
 * match a filter, and through a parent document. Checks restrict writes. Every method: @throws `auth.required`,
 * `admin.required`, `collection.not_found`
 */
export function createCollectionRuleAdmin({ storage, clock, audit, freshLogin, indexes }: CollectionRuleDeps) {
  async function stored(stores: Stores, key: string): Promise<CollectionRules> {
    if ((await stores.collections.findName(key)) === null) throw new AppError('collection.not_found');
    return (await stores.collections.rules()).get(key) ?? NO_RULES;
  }

  /** Returns the rules with role keys, each once. @throws `grant.role_unknown` */
  async function withKeys(stores: Stores, action: RuleAction, rules: readonly Rule[]): Promise<Rule[]> {
    const found = new Map<string, Rule>();
    for (const [at, rule] of rules.entries()) {
      const key = roleKey(rule.role);
      if ((await stores.roles.findByKey(key)) === null) {
        throw new AppError('grant.role_unknown', { detail: `"${rule.role}"`, input: `/${action}/${at}` });
      }
      found.set(textOf(rule), { ...rule, role: key });
    }
    return Array.from(found.values());
  }

  /** @throws `collection.not_found`, `input.invalid` for parents in a cycle, or with too many ancestors */
  async function checkParent(stores: Stores, key: string, parent: ParentRule): Promise<void> {
    if (parent.collection === null) return;
    if ((await stores.collections.findName(parent.collection)) === null) {
      throw new AppError('collection.not_found', { detail: `"${parent.collection}"`, input: '/parent/collection' });
    }
    const parents = new Map(Array.from(await stores.collections.rules(), ([child, rules]) => [child, rules.parent]));
    parents.set(key, parent);
    for (const from of parents.keys()) {
      const chain = chainFrom(from, parents);
      if (chain.length - 1 > MAX_ANCESTORS) {
        const detail = `documents inherit through at most ${MAX_ANCESTORS} different collections: ${chain.join(', ')}`;
        throw new AppError('input.invalid', { detail, input: '/parent/collection' });
      }
    }
  }

  /** Returns the change of the stored rules. @throws as `withKeys`, `checkParent`, `checksAfter` */
  async function changeOf(stores: Stores, key: string, wanted: RulesBody): Promise<RulesChange> {
    const { parent } = wanted;
    if (parent != null) await checkParent(stores, key, parent);
    const change: { [Action in RuleAction]?: readonly Rule[] } = {};
    for (const action of RULE_ACTIONS) {
      const rules = wanted.rules[action];
      if (rules !== undefined) change[action] = await withKeys(stores, action, rules);
    }
    const checks = checksAfter((await stored(stores, key)).checks, wanted);
    return { ...change, ...(parent !== undefined && { parent }), checks };
  }

  /** Returns the rules after a change that is not stored. @throws as `changeOf` */
  const planned = async (key: string, wanted: RulesBody): Promise<CollectionRules> => ({
    ...(await stored(storage, key)),
    ...(await changeOf(storage, key, wanted)),
  });

  /** Marks that permissions change: of these roles, of everyone if parents change, and on documents that inherit. */
  async function markReaders(stores: Stores, key: string, before: CollectionRules, after: CollectionRules) {
    const audiences = Array.from(changedRoles(before.read, after.read), rolePrincipal);
    if (JSON.stringify(before.parent) !== JSON.stringify(after.parent)) audiences.push(EVERYBODY);
    const marks = audiences.map((audience) => ({ audience, collection: key, reason: 'rules' }) as const);
    await stores.changes.markVisibility([...marks, ...(await inheritorMarks(stores, key))], clock.now());
  }

  return {
    async read(actor: Actor, name: string): Promise<ShownRules> {
      requireAdmin(actor);
      return shown(await stored(storage, collectionKey(name)));
    },

    /**
     * Replaces the rules in the body. The others stay unchanged. Resolves to all rules. Declares an index on the field
     * with the parents, by which children are found. A change that opens the collection further needs a fresh login of
     * an administrator, because it would outlast a stolen session or key.
     *
     * @throws `input.array_expected`, `input.invalid`, `criteria.invalid`, `grant.role_unknown`, `index.path_invalid`,
     * `index.too_many`, the errors of `FreshLogin.ensure`
     */
    async change(actor: Actor, { name, body, presence }: RulesToChange & WithPresence): Promise<ShownRules> {
      requireAdmin(actor);
      const wanted = parseRulesBody(body);
      const key = collectionKey(name);
      const { parent } = wanted;
      // A change that is refused declares no index.
      const isOpening = opens(await stored(storage, key), await planned(key, wanted));
      if (isOpening) await freshLogin.ensure(actor, presence);
      if (parent != null) await indexes.declare(actor, { of: { collection: key }, path: parent.field });
      return audit.transaction(storage.transaction, async (stores, record) => {
        const before = await stores.collections.setRules(key, await changeOf(stores, key, wanted));
        if (before === null) throw new AppError('collection.not_found');
        const after = await stored(stores, key);
        // The rules may have become stricter in between.
        if (!isOpening && opens(before, after)) throw new AppError('auth.fresh_login_required');
        await markReaders(stores, key, before, after);
        await stores.announcer.announce({ topic: 'collections', key });
        record(actor, 'rules.changed', {
          to: { kind: 'collection', id: key, name },
          details: detailsOf(wanted, after),
        });
        return shown(after);
      });
    },

    /** Returns the rules of a collection after a change. Changes nothing. @throws as `change` */
    async planned(actor: Actor, { name, body }: RulesToChange): Promise<{ key: string; rules: CollectionRules }> {
      requireAdmin(actor);
      const wanted = parseRulesBody(body);
      const key = collectionKey(name);
      return { key, rules: await planned(key, wanted) };
    },
  };
}

/** Returns the changed rules for the audit log. */
function detailsOf({ rules, parent, check, messages }: RulesBody, after: CollectionRules): Record<string, string> {
  const all = shown(after);
  const items = Object.keys(rules).map((action) => {
    const list = all[action as RuleAction].map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
    return [action, list.join(' ')];
  });
  const parts = { parent, check, messages };
  const others = Object.entries(parts).flatMap(([part, value]) =>
    value === undefined ? [] : [[part, JSON.stringify(all[part as keyof typeof parts])]],
  );
  return Object.fromEntries([...items, ...others]);
}
