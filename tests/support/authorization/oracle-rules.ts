import type { RoleRef, RuleAction, RulesStep } from './steps.ts';

type Rules = Map<RuleAction, Set<string>>;

/** Rules of collections in the oracle. */
export function createRulesOracle(roleName: (role: RoleRef) => string) {
  const collections = new Map<number, Rules>();

  return {
    /** @param exists returns true if the role exists */
    set({ collection, rules }: RulesStep, exists: (role: RoleRef) => boolean): number {
      const wanted = Object.entries(rules) as [RuleAction, readonly RoleRef[]][];
      if (wanted.some(([action, roles]) => action !== 'read' && roles.includes('anonymous'))) return 400;
      if (wanted.some(([, roles]) => !roles.every(exists))) return 400;
      const known = collections.get(collection) ?? new Map();
      collections.set(collection, known);
      for (const [action, roles] of wanted) known.set(action, new Set(roles.map(roleName)));
      return 200;
    },
    /** @param principals principals of the caller; only roles count */
    allows(principals: readonly string[], action: string, collection: number): boolean {
      const rule = collections.get(collection)?.get(action as RuleAction);
      if (rule === undefined) return action === 'create';
      return principals.some((one) => one.startsWith('role ') && rule.has(one.slice('role '.length)));
    },
    moveRole(from: string, to: string | null): void {
      for (const rules of collections.values()) {
        for (const rule of rules.values()) if (rule.delete(from) && to !== null) rule.add(to);
      }
    },
    forget: (collection: number) => collections.delete(collection),
  };
}
