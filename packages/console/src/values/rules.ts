import type { ParentRight, ParentRules, Rule, Rules, RulesChange } from '@baobab/client/admin';

export const ACTIONS = ['create', 'read', 'update', 'delete'] as const;
export type RuleAction = (typeof ACTIONS)[number];

/** Actions that a check can restrict. */
export const CHECKED = ['create', 'update', 'delete'] as const;
type CheckedAction = (typeof CHECKED)[number];

/** Always has all permissions. */
export const ADMINISTRATOR = 'administrator';
/** Anonymous users can only be allowed to read. */
export const ANONYMOUS = 'anonymous';

/** Default rules of a new collection. */
export const FIRST_RULES: Rules = {
  create: ['registereduser'],
  read: [],
  update: [],
  delete: [],
  parent: null,
  check: {},
  messages: {},
};

/** Usual permissions inherited from a parent. */
export const FIRST_PARENT: ParentRules = {
  field: '',
  collection: null,
  create: 'update',
  read: 'read',
  update: 'update',
  delete: 'update',
  onDelete: 'cascade',
};

/** A rule with a filter while it is edited. */
export interface EditedCondition {
  /** Identifies it while it moves between actions. */
  readonly key: number;
  readonly action: RuleAction;
  readonly role: string;
  readonly filter: string;
}

/** Rules while they are edited. */
export interface EditedRules {
  /** Roles with a permission on all documents. */
  readonly roles: Readonly<Record<RuleAction, readonly string[]>>;
  readonly conditions: readonly EditedCondition[];
  readonly parent: ParentRules | null;
  readonly check: Readonly<Record<CheckedAction, string>>;
  readonly messages: Readonly<Record<CheckedAction, string>>;
}

const perAction = <V>(value: (action: RuleAction) => V): Readonly<Record<RuleAction, V>> => ({
  create: value('create'),
  read: value('read'),
  update: value('update'),
  delete: value('delete'),
});

const perCheck = (value: (action: CheckedAction) => string | undefined): Readonly<Record<CheckedAction, string>> => ({
  create: value('create') ?? '',
  update: value('update') ?? '',
  delete: value('delete') ?? '',
});

export function editedOf(rules: Rules): EditedRules {
  const conditions = ACTIONS.flatMap((action) =>
    rules[action].flatMap((rule) => (typeof rule === 'string' ? [] : [{ action, role: rule.role, filter: rule.if }])),
  );
  return {
    roles: perAction((action) => rules[action].filter((rule) => typeof rule === 'string')),
    conditions: conditions.map((condition, key) => ({ key, ...condition })),
    parent: rules.parent,
    check: perCheck((action) => rules.check[action]),
    messages: perCheck((action) => rules.messages[action]),
  };
}

const of = (edited: EditedRules, action: RuleAction) =>
  edited.conditions.filter((condition) => condition.action === action);

/** Leaves out empty texts. */
const filled = (values: Readonly<Record<CheckedAction, string>>) =>
  Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''));

export function rulesOf(edited: EditedRules): Rules {
  const { parent } = edited;
  return {
    ...perAction((action): readonly Rule[] => [
      ...edited.roles[action],
      ...of(edited, action).map(({ role, filter }) => ({ role, if: filter })),
    ]),
    parent: parent === null ? null : { ...parent, field: parent.field.trim() },
    check: filled(edited.check),
    messages: filled(edited.messages),
  };
}

/** Returns the parts of the rules that differ. The order of rules does not matter. */
export function changeOf(stored: Rules, rules: Rules): RulesChange {
  const before = rulesOf(editedOf(stored));
  const parts = [...ACTIONS, 'parent', 'check', 'messages'] as const;
  const differs = (part: (typeof parts)[number]) => JSON.stringify(rules[part]) !== JSON.stringify(before[part]);
  return Object.fromEntries(parts.filter(differs).map((part) => [part, rules[part]]));
}

/** Returns the JSON Pointer of a condition's filter in the rules that are sent. */
export const pointerOfCondition = (edited: EditedRules, { key, action }: EditedCondition): string => {
  const at = edited.roles[action].length + of(edited, action).findIndex((other) => other.key === key);
  return `/${action}/${at}/if`;
};

/** Returns the JSON Pointers of all errors that the form shows beside a field. */
export const pointersIn = (edited: EditedRules): ReadonlySet<string> =>
  new Set([
    ...edited.conditions.map((condition) => pointerOfCondition(edited, condition)),
    ...CHECKED.flatMap((action) => [`/check/${action}`, `/messages/${action}`]),
    ...(edited.parent === null ? [] : ['/parent/field']),
  ]);

/** Actions allowed to users with the same role, and the same filter. */
export interface Allowed {
  readonly role: string;
  /** Null: with all documents. */
  readonly filter: string | null;
  readonly actions: readonly RuleAction[];
}

/** Groups rules by the users whom they allow something. */
export function allowedBy(rules: Rules): Allowed[] {
  const groups = new Map<string, { role: string; filter: string | null; actions: RuleAction[] }>();
  for (const action of ACTIONS) {
    for (const rule of rules[action]) {
      const [role, filter] = typeof rule === 'string' ? [rule, null] : [rule.role, rule.if];
      const key = JSON.stringify([role, filter]);
      const group = groups.get(key) ?? { role, filter, actions: [] };
      if (!group.actions.includes(action)) group.actions.push(action);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/** Groups the actions that are inherited from a parent by the right on it that they need. */
export function inheritedBy(parent: ParentRules): { right: NonNullable<ParentRight>; actions: RuleAction[] }[] {
  return (['read', 'update', 'delete', 'all'] as const).flatMap((right) => {
    const actions = ACTIONS.filter((action) => parent[action] === right);
    return actions.length === 0 ? [] : [{ right, actions }];
  });
}
