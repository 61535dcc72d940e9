import { ROLES, roleKey } from '../access.ts';
import { parsePathText } from '../criteria/operands.ts';
import { parseRule } from '../criteria/rules.ts';
import { AppError, isAppError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import type {
  CheckedAction,
  OnDelete,
  ParentAction,
  ParentRule,
  Rule,
  RuleAction,
} from '../ports/storage/collections.ts';
import { collectionKey } from './collections.ts';

export const RULE_ACTIONS = ['create', 'read', 'update', 'delete'] as const satisfies readonly RuleAction[];
const CHECKED = ['create', 'update', 'delete'] as const satisfies readonly CheckedAction[];
const PARTS = [...RULE_ACTIONS, 'parent', 'check', 'messages'] as const;
/** Maximum number of items in one rule. */
const MAX_RULES = 100;
/** Maximum length of a message, in UTF-16 units. */
const MAX_MESSAGE = 500;
const ON_DELETE = ['cascade', 'restrict', 'detach'] as const satisfies readonly OnDelete[];
const PARENT_ACTIONS = ['read', 'update', 'delete', 'all'] as const satisfies readonly ParentAction[];

/** Values of `"parent": "field"`. */
const USUAL_NEEDS = { create: 'update', read: 'read', update: 'update', delete: 'update' } as const;

type Pointer = `/${string}`;
type PerCheck = { readonly [Action in CheckedAction]?: string };

/** Rules to change, as in a request. Absent parts stay unchanged. */
export interface RulesBody {
  readonly rules: { readonly [Action in RuleAction]?: readonly Rule[] };
  readonly parent?: ParentRule | null;
  /** Expressions of all checks. */
  readonly check?: PerCheck;
  /** Messages of all checks. */
  readonly messages?: PerCheck;
}

const isOneOf = <Name extends string>(names: readonly Name[], name: unknown): name is Name =>
  names.some((one) => one === name);

const invalid = (input: Pointer | '', detail: string) => new AppError('input.invalid', { detail, input });
const pointerTo = (pointer: Pointer | '', name: string): Pointer =>
  `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Returns the members of an object with known names only. @throws `input.invalid` */
export function members<Name extends string>(
  value: JsonValue | undefined,
  pointer: Pointer | '',
  names: readonly Name[],
): { [Each in Name]?: JsonValue } {
  if (!isJsonObject(value)) throw invalid(pointer, `an object with ${names.join(', ')} is expected`);
  const unknown = Object.keys(value).find((name) => !isOneOf(names, name));
  if (unknown !== undefined) {
    throw invalid(pointerTo(pointer, unknown), `"${unknown}" is unknown: use ${names.join(', ')}`);
  }
  return value as JsonObject & { [Each in Name]?: JsonValue };
}

/** Parses an expression for its errors, and returns its text. @throws `criteria.invalid`, `input.invalid` */
function parseExpression(rule: 'condition' | 'check', pointer: Pointer, value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw invalid(pointer, 'an expression is expected');
  parseRule(rule, value, pointer);
  return value;
}

function parseRuleItem(action: RuleAction, pointer: Pointer, item: JsonValue): Rule {
  const { role, if: condition } =
    typeof item === 'string' ? { role: item, if: undefined } : members(item, pointer, ['role', 'if']);
  if (typeof role !== 'string') throw invalid(pointer, 'the name of a role, or {"role", "if"}, is expected');
  if (action !== 'read' && roleKey(role) === ROLES.anonymous) {
    throw invalid(pointer, `"${ROLES.anonymous}" is allowed only in "read"`);
  }
  return { role, condition: condition === undefined ? null : parseExpression('condition', `${pointer}/if`, condition) };
}

function parseItems(action: RuleAction, value: JsonValue | undefined): Rule[] {
  const pointer: Pointer = `/${action}`;
  if (!Array.isArray(value)) throw new AppError('input.array_expected', { detail: action, input: pointer });
  if (value.length > MAX_RULES) throw invalid(pointer, `a rule has at most ${MAX_RULES} items`);
  return value.map((item, at) => parseRuleItem(action, `${pointer}/${at}`, item));
}

/** @throws `input.invalid` */
function parseField(pointer: Pointer, value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw invalid(pointer, 'the dotted path of a field is expected');
  try {
    if (parsePathText(value).every((step) => typeof step === 'string')) return value;
  } catch (error) {
    if (isAppError(error)) throw invalid(pointer, error.detail ?? error.message);
    throw error;
  }
  throw invalid(pointer, 'the dotted path of a field is expected, such as "board" or "on.board"');
}

function parseParent(value: JsonValue | undefined): ParentRule | null {
  if (value === null) return null;
  if (typeof value === 'string') {
    return { field: parseField('/parent', value), collection: null, needs: USUAL_NEEDS, onDelete: 'cascade' };
  }
  const names = ['field', 'collection', ...RULE_ACTIONS, 'onDelete'] as const;
  const { field, collection, onDelete = 'detach', ...actions } = members(value, '/parent', names);
  if (collection != null && typeof collection !== 'string') {
    throw invalid('/parent/collection', 'the name of a collection is expected');
  }
  if (!isOneOf(ON_DELETE, onDelete)) throw invalid('/parent/onDelete', `one of ${ON_DELETE.join(', ')} is expected`);
  const need = (action: RuleAction): ParentAction | null => {
    const right = actions[action] ?? null;
    if (right === null || isOneOf(PARENT_ACTIONS, right)) return right;
    throw invalid(`/parent/${action}`, `one of ${PARENT_ACTIONS.join(', ')} is expected: a right on the parent`);
  };
  return {
    field: parseField('/parent/field', field),
    collection: collection == null ? null : collectionKey(collection),
    needs: { create: need('create'), read: need('read'), update: need('update'), delete: need('delete') },
    onDelete,
  };
}

/** Parses the value of each checked action; null and absent values are left out. */
function perCheck(
  part: 'check' | 'messages',
  value: JsonValue | undefined,
  parse: (pointer: Pointer, value: JsonValue) => string,
): PerCheck {
  const given = members(value, `/${part}`, CHECKED);
  return Object.fromEntries(
    CHECKED.flatMap((action) => {
      const one = given[action] ?? null;
      return one === null ? [] : [[action, parse(`/${part}/${action}`, one)]];
    }),
  );
}

function parseMessage(pointer: Pointer, value: JsonValue): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_MESSAGE) return value;
  throw invalid(pointer, `a text of at most ${MAX_MESSAGE} characters is expected`);
}

/** @throws `input.array_expected`, `input.invalid`, `criteria.invalid` */
export function parseRulesBody({ value }: ParsedJson): RulesBody {
  const body = members(value, '', PARTS);
  const rules: { [Action in RuleAction]?: readonly Rule[] } = {};
  for (const action of RULE_ACTIONS) if (action in body) rules[action] = parseItems(action, body[action]);
  return {
    rules,
    ...('parent' in body && { parent: parseParent(body.parent) }),
    ...('check' in body && {
      check: perCheck('check', body.check ?? {}, (...expression) => parseExpression('check', ...expression)),
    }),
    ...('messages' in body && { messages: perCheck('messages', body.messages ?? {}, parseMessage) }),
  };
}
