import type { Action, CheckName, ConditionName, ParentItem, RoleRef, RuleAction, RulesStep } from './steps.ts';

/** Texts of the conditions in rules. */
export const CONDITIONS: Readonly<Record<ConditionName, string>> = {
  big: 'n >= 50',
  friend: 'caller.name = friend',
};
/** Texts of the checks. Some members are absent in a write that creates or deletes. */
export const CHECKS: Readonly<Record<CheckName, string>> = {
  grows: 'old.n is null or new.n is null or not changed(n) or new.n >= old.n or old.friend = caller.name',
  small: 'new.n < 90 or (new.n is null and old.n < 90)',
};

/** A document as rules see it. */
export interface RuledContent {
  readonly n: number;
  readonly friend: number | null;
}

/** The caller as rules see them: the number of the user, if they have one. */
export interface RuledCaller {
  readonly principals: readonly string[];
  readonly user: number | null;
}

type NamedRules = Map<string, { readonly role: string; readonly if: ConditionName | null }>;

/** Renames a role in rules, or removes it if `to` is null. */
function moveIn(rules: NamedRules, from: string, to: string | null): void {
  for (const [key, item] of Array.from(rules)) {
    if (item.role !== from) continue;
    rules.delete(key);
    if (to !== null) rules.set(`${to} ${item.if}`, { ...item, role: to });
  }
}

interface Rules {
  readonly actions: Map<RuleAction, NamedRules>;
  parent: ParentItem | null;
  checks: NonNullable<RulesStep['checks']>;
}

const holds = (condition: ConditionName | null, { n, friend }: RuledContent, { user }: RuledCaller): boolean => {
  if (condition === null) return true;
  return condition === 'big' ? n >= 50 : user !== null && friend === user;
};

/** Rules of collections in the oracle. */
export function createRulesOracle(roleName: (role: RoleRef) => string) {
  const collections = new Map<number, Rules>();

  function set({ collection, rules, parent, checks }: RulesStep, exists: (role: RoleRef) => boolean): number {
    const wanted = Object.entries(rules) as [RuleAction, NonNullable<RulesStep['rules'][RuleAction]>][];
    if (wanted.some(([action, items]) => action !== 'read' && items.some(({ role }) => role === 'anonymous')))
      return 400;
    if (wanted.some(([, items]) => !items.every(({ role }) => exists(role)))) return 400;
    const known = collections.get(collection) ?? { actions: new Map(), parent: null, checks: {} };
    collections.set(collection, known);
    for (const [action, items] of wanted) {
      const named = items.map((item) => ({ role: roleName(item.role), if: item.if }));
      known.actions.set(action, new Map(named.map((item) => [`${item.role} ${item.if}`, item])));
    }
    if (parent !== undefined) known.parent = parent;
    if (checks !== undefined) known.checks = checks;
    return 200;
  }

  return {
    /** @param exists returns true if the role exists */
    set,
    /** @param document null to ask for any document */
    allows(caller: RuledCaller, action: string, collection: number, document: RuledContent | null): boolean {
      const rule = collections.get(collection)?.actions.get(action as RuleAction);
      if (rule === undefined) return action === 'create';
      return Array.from(rule.values()).some(
        (item) =>
          caller.principals.includes(`role ${item.role}`) && (document === null || holds(item.if, document, caller)),
      );
    },
    parentRule: (collection: number): ParentItem | null => collections.get(collection)?.parent ?? null,
    /** Returns true if a write satisfies the check of its collection. */
    satisfies(
      { user }: RuledCaller,
      action: Exclude<Action, 'read' | 'all'> | 'create',
      collection: number,
      { before, after }: { readonly before: RuledContent | null; readonly after: RuledContent | null },
    ): boolean {
      const check = collections.get(collection)?.checks[action];
      if (check === undefined) return true;
      if (check === 'small') return (after ?? before ?? { n: 0 }).n < 90;
      if (before === null || after === null) return true;
      return after.n >= before.n || (user !== null && before.friend === user);
    },
    moveRole(from: string, to: string | null): void {
      for (const { actions } of collections.values()) for (const rule of actions.values()) moveIn(rule, from, to);
    },
    forget: (collection: number) => collections.delete(collection),
  };
}
