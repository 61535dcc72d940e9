import { AppError, type CollectionRules, type CollectionStore, type RuleAction, type RulesChange } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';
import { withRowLock } from './row-lock.ts';

const ALL = `select c.name_key as "key", r.create_restricted as restricted, a.rule_action as "action", roles.name as role
  from collection_rules r join collections c on c.id = r.collection
  left join collection_rule_roles a on a.collection = r.collection left join roles on roles.role_key = a.role_key
  order by a.role_key`;
/** Locks for the same reason as the insertion of a document. */
const BEGIN = withRowLock(
  'key share of c',
  (lock) => `insert into collection_rules (collection, create_restricted)
  select c.id, 0 from collections c where c.name_key = ?1${lock} on conflict (collection) do nothing`,
);
/** Locks the rules, which serializes changes. */
const RESTRICT = `update collection_rules set create_restricted = case when ?2 = 1 then 1 else create_restricted end
  where collection = (select c.id from collections c where c.name_key = ?1) returning collection as id`;
const CLEAR = 'delete from collection_rule_roles where collection = ?1 and rule_action = ?2 returning role_key as role';
const ADD = 'insert into collection_rule_roles (collection, rule_action, role_key) values (?1, ?2, ?3)';

interface Row {
  readonly key: string;
  readonly restricted: number;
  readonly action: RuleAction | null;
  readonly role: string | null;
}

type MutableRules = { [Action in keyof CollectionRules]: string[] | (Action extends 'create' ? null : never) };

async function replace(transaction: SqlExecutor, key: string, change: RulesChange) {
  await transaction.change(BEGIN(transaction), [key]);
  const [found] = await transaction.write<{ id: string }>(RESTRICT, [key, change.create === undefined ? 0 : 1]);
  if (found === undefined) return null;
  const before: { [Action in RuleAction]?: readonly string[] } = {};
  for (const [action, roles] of Object.entries(change) as [RuleAction, readonly string[]][]) {
    const cleared = await transaction.write<{ role: string }>(CLEAR, [found.id, action]);
    before[action] = cleared.map(({ role }) => role).toSorted();
    for (const role of roles) await transaction.change(ADD, [found.id, action, role]);
  }
  return before;
}

/** Creates the methods of a collection store for rules. */
export function createCollectionRules(executor: SqlExecutor): Pick<CollectionStore, 'rules' | 'setRules'> {
  return {
    async rules() {
      const all = new Map<string, MutableRules>();
      for (const { key, restricted, action, role } of await executor.read<Row>(ALL, [])) {
        const rules = all.get(key) ?? { create: restricted === 1 ? [] : null, read: [], update: [], delete: [] };
        all.set(key, rules);
        if (action !== null && role !== null) rules[action]?.push(role);
      }
      return all;
    },
    async setRules(key, change) {
      try {
        return await executor.atomic((transaction) => replace(transaction, key, change));
      } catch (error) {
        throw executor.isForeignKeyViolation(error) ? new AppError('grant.role_unknown', { cause: error }) : error;
      }
    },
  };
}
