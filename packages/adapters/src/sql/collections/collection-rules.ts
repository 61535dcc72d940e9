import {
  type CollectionRules,
  type CollectionStore,
  NO_RULES,
  type Rule,
  type RuleAction,
  type RulesChange,
} from '@baobab/core';
import type { SqlExecutor } from '../statements/executor.ts';
import { asMissing, withRowLock } from '../statements/fragments.ts';

const RULES = (where: string, role: string) => `select c.name_key as "key", r.create_restricted as restricted,
  r.parent, r.checks, a.rule_action as "action", ${role} as role, a.condition
  from collection_rules r join collections c on c.id = r.collection
  left join collection_rule_roles a on a.collection = r.collection left join roles on roles.role_key = a.role_key
  ${where} order by a.role_key, a.condition`;
const ALL = RULES('', 'roles.name');
const ONE = RULES('where c.name_key = ?1', 'roles.role_key');
/** Locks for the same reason as the insertion of a document. */
const BEGIN = withRowLock(
  'key share of c',
  (lock) => `insert into collection_rules (collection, create_restricted)
  select c.id, 0 from collections c where c.name_key = ?1${lock} on conflict (collection) do nothing`,
);
/** Locks the rules, which serializes changes. */
const LOCK = `update collection_rules set create_restricted = create_restricted
  where collection = (select c.id from collections c where c.name_key = ?1) returning collection as id`;
const SET = 'update collection_rules set create_restricted = ?2, parent = ?3, checks = ?4 where collection = ?1';
const CLEAR = 'delete from collection_rule_roles where collection = ?1 and rule_action = ?2';
const ADD = 'insert into collection_rule_roles (collection, rule_action, role_key, condition) values (?1, ?2, ?3, ?4)';

interface Row {
  readonly key: string;
  readonly restricted: number;
  /** JSON; null if there is none. */
  readonly parent: string | null;
  readonly checks: string | null;
  readonly action: RuleAction | null;
  readonly role: string | null;
  /** Empty for all documents. */
  readonly condition: string | null;
}

/** Returns the rules in the rows, by collection. */
function rulesIn(rows: readonly Row[]): Map<string, CollectionRules> {
  const all = new Map<string, CollectionRules>();
  for (const { key, restricted, parent, checks, action, role, condition } of rows) {
    const rules = all.get(key) ?? {
      ...NO_RULES,
      create: restricted === 1 ? [] : null,
      parent: JSON.parse(parent ?? 'null'),
      checks: JSON.parse(checks ?? '{}'),
    };
    const rule = role === null ? [] : [{ role, condition: condition || null }];
    all.set(key, action === null ? rules : { ...rules, [action]: [...(rules[action] ?? []), ...rule] });
  }
  return all;
}

const ACTIONS = ['create', 'read', 'update', 'delete'] as const;

async function replace(transaction: SqlExecutor, key: string, change: RulesChange) {
  await transaction.change(BEGIN(transaction), [key]);
  const [found] = await transaction.write<{ id: string }>(LOCK, [key]);
  if (found === undefined) return null;
  const before = rulesIn(await transaction.read<Row>(ONE, [key])).get(key) ?? NO_RULES;
  const { create, parent, checks } = { ...before, ...change };
  const parentText = parent === null ? null : JSON.stringify(parent);
  await transaction.change(SET, [found.id, create === null ? 0 : 1, parentText, JSON.stringify(checks)]);
  for (const action of ACTIONS) {
    const rules: readonly Rule[] | null | undefined = change[action];
    if (rules === undefined) continue;
    await transaction.change(CLEAR, [found.id, action]);
    for (const { role, condition } of rules ?? []) {
      await transaction.change(ADD, [found.id, action, role, condition ?? '']);
    }
  }
  return before;
}

/** Creates the methods of a collection store for rules. */
export function createCollectionRules(executor: SqlExecutor): Pick<CollectionStore, 'rules' | 'setRules'> {
  return {
    rules: async () => rulesIn(await executor.read<Row>(ALL, [])),
    async setRules(key, change) {
      return executor
        .atomic((transaction) => replace(transaction, key, change))
        .catch(asMissing(executor, 'grant.role_unknown'));
    },
  };
}
