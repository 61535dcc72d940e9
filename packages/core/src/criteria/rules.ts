import { parsePrincipal } from '../access.ts';
import type { Actor } from '../actor.ts';
import type { Params } from './params.ts';
import { createReader } from './reader.ts';
import type { CallerName, Condition, Constant, Operand, Path } from './syntax.ts';
import type { Token } from './tokens.ts';
import { parseCondition } from './where.ts';

const NO_PARAMS: Params = {
  take: (reader, mark) => {
    throw reader.unexpected('a value, because rules have no parameters', mark);
  },
  finish: () => undefined,
};

/**
 * Parses an expression: a condition, which is a filter that may also name the caller; or a check, which compares a
 * document before and after a write.
 *
 * @param pointer JSON Pointer to the expression in the rules, for errors
 * @throws `criteria.invalid`
 */
export function parseRule(rule: 'condition' | 'check', text: string, pointer: `/${string}` = '/'): Condition {
  const reader = createReader(pointer, text);
  // A filter that becomes true or false without a change of the document could not be followed by the change feed.
  const now = (token: Token) => {
    throw reader.unexpected(rule === 'check' ? 'now instead of sysdate()' : 'no sysdate() in a condition', token);
  };
  return parseCondition({ reader, params: NO_PARAMS, now, rule });
}

type CallerValues = { readonly [Name in CallerName]: readonly string[] };

/** Returns the values of the names of a caller. A role has its spelled name and its key. */
function valuesOf({ user, principals }: Actor): CallerValues {
  const keys = (kind: string) => principals.map(parsePrincipal).flatMap((one) => (one.kind === kind ? [one.key] : []));
  return {
    id: user === null ? [] : [user.id],
    name: user === null ? [] : [user.name],
    roles: [...keys('role'), ...(user === null ? [] : [user.role])],
    groups: keys('group'),
  };
}

const NEVER: Condition = { kind: 'or', conditions: [] };
const ALWAYS: Condition = { kind: 'and', conditions: [] };

/** Returns the condition with the values of a caller. A comparison with an absent value is false. */
export function bindCaller(condition: Condition, actor: Actor): Condition {
  const values = valuesOf(actor);
  const constants = ({ caller, ...constant }: Constant): Constant[] =>
    caller === undefined ? [constant] : values[caller].map((value) => ({ kind: 'constant', value, untyped: false }));

  /** Returns null if the caller has no such value. */
  function operand(of: Operand): Operand | null {
    if (of.kind === 'constant') return constants(of)[0] ?? null;
    if (of.kind !== 'call') return of;
    const inner = operand(of.of);
    return inner === null ? null : { ...of, of: inner };
  }

  /** Binds the operand of a condition. Without a value the condition is false. */
  function withOperand<Of extends Condition & { readonly operand: Operand }>(one: Of): Of | typeof NEVER {
    const bound = operand(one.operand);
    return bound === null ? NEVER : { ...one, operand: bound };
  }

  function compared(one: Extract<Condition, { kind: 'compare' }>): Condition {
    const [left, right] = [operand(one.left), operand(one.right)];
    return left === null || right === null ? NEVER : { ...one, left, right };
  }

  function contains(one: Extract<Condition, { kind: 'contains' }>): Condition {
    const [value] = constants(one.value);
    return value === undefined ? NEVER : withOperand({ ...one, value });
  }

  function bind(one: Condition): Condition {
    switch (one.kind) {
      case 'compare':
        return compared(one);
      case 'and':
      case 'or':
        return { ...one, conditions: one.conditions.map(bind) };
      case 'not':
        return { ...one, condition: bind(one.condition) };
      case 'null':
        return operand(one.operand) === null ? ALWAYS : withOperand(one);
      case 'contains':
        return contains(one);
      case 'some':
        return { ...one, condition: bind(one.condition) };
      case 'in':
        return withOperand({ ...one, values: one.values.flatMap(constants) });
      case 'like':
      case 'containsText':
        return withOperand(one);
      case 'fullText':
        return one;
    }
  }
  return bind(condition);
}

/** Returns the operands of a condition. */
function operandsIn(condition: Condition): readonly Operand[] {
  switch (condition.kind) {
    case 'compare':
      return [condition.left, condition.right];
    case 'and':
    case 'or':
      return condition.conditions.flatMap(operandsIn);
    case 'not':
      return operandsIn(condition.condition);
    case 'in':
      return [condition.operand, ...condition.values];
    case 'contains':
      return [condition.operand, condition.value];
    case 'some':
      // Paths in the inner condition begin at the elements, which belong to the operand.
      return [condition.operand, ...operandsIn(condition.condition).filter(({ kind }) => kind === 'constant')];
    case 'fullText':
      return [];
    default:
      return [condition.operand];
  }
}

const partsOf = (operand: Operand): readonly Operand[] => {
  if (operand.kind === 'call') return partsOf(operand.of);
  return operand.kind === 'distance' ? operand.of.flatMap(partsOf) : [operand];
};

/** Returns true if the result depends on the caller. */
export const namesCaller = (condition: Condition): boolean =>
  operandsIn(condition)
    .flatMap(partsOf)
    .some((operand) => operand.kind === 'constant' && operand.caller !== undefined);

const comparisonsIn = (condition: Condition): readonly Condition[] => {
  if (condition.kind === 'not') return comparisonsIn(condition.condition);
  return 'conditions' in condition ? condition.conditions.flatMap(comparisonsIn) : [condition];
};

/** Returns true if the condition compares the roles of the caller with one of these names. */
export const namesRole = (condition: Condition, names: ReadonlySet<string>): boolean =>
  comparisonsIn(condition).some((one) => {
    const constants = operandsIn(one)
      .flatMap(partsOf)
      .filter((operand) => operand.kind === 'constant');
    return (
      constants.some(({ caller }) => caller === 'roles') &&
      constants.some(({ value }) => typeof value === 'string' && names.has(value))
    );
  });

/** Returns the paths on whose values the result depends. */
export const pathsIn = (condition: Condition): Path[] =>
  operandsIn(condition)
    .flatMap(partsOf)
    .flatMap((operand) => (operand.kind === 'path' ? [operand.path] : []));
