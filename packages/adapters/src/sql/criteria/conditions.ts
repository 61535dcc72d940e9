import { type Comparison, type Condition, meaningsOf, type Operand, type Path, type Scalar } from '@baobab/core';
import { isBeyond, type JsonPlace } from './dialect.ts';
import {
  asVariable,
  type Context,
  compileOperand,
  isConstant,
  type Meaning,
  type Term,
  type Variable,
} from './operands.ts';
import {
  allOf,
  anyOf,
  byType,
  columnOf,
  compareForms,
  compareWith,
  FALSE,
  flipped,
  holds,
  isOneOf,
  not,
  rankOf,
  TRUE,
} from './scalars.ts';
import { compareTime } from './times.ts';

type Of<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>;

function withConstants(variable: Variable, operator: Comparison, constants: readonly Scalar[], { params }: Context) {
  const { form, time } = variable;
  return anyOf(
    constants.map((value) => {
      if (time === null) return compareWith(form, operator, value, params);
      return typeof value === 'string' ? compareTime(time, operator, value, params) : FALSE;
    }),
  );
}

function compareTerms(left: Term, operator: Comparison, right: Term, context: Context): string {
  if (isConstant(right)) {
    if (!isConstant(left)) return withConstants(left, operator, right.constants, context);
    return left.constants.some((a) => right.constants.some((b) => holds(operator, a, b))) ? TRUE : FALSE;
  }
  if (isConstant(left)) return withConstants(right, flipped(operator), left.constants, context);
  return compareForms(left.form, operator, right.form);
}

/** Compiles the condition that the value equals one of these scalars. */
function oneOf(term: Term, scalars: readonly Scalar[], context: Context): string {
  if (isConstant(term)) return term.constants.slice(0, 1).some((value) => scalars.includes(value)) ? TRUE : FALSE;
  if (term.time !== null) return anyOf(scalars.map((value) => withConstants(term, '=', [value], context)));
  const { form } = term;
  return anyOf(
    byType(scalars).map((values) => {
      const [first] = values;
      if (first === undefined) return FALSE;
      return `(${form.rank} = ${rankOf(first)} and ${isOneOf(columnOf(form, first), values, context.params)})`;
    }),
  );
}

function onText(operand: Operand, test: (txt: string) => string, context: Context): string {
  const { form } = asVariable(compileOperand(operand, context), context);
  return `(${form.rank} = 3 and ${test(form.txt)})`;
}

function isNull(operand: Operand, context: Context): string {
  const term = compileOperand(operand, context);
  return isConstant(term) ? FALSE : `(${term.form.rank} = 0)`;
}

/** Returns the place of an operand that may be an array, or null if it never is. */
function placeOf(operand: Operand, context: Context): JsonPlace | null {
  if (operand.kind !== 'path') return null;
  const meaning = context.resolve(operand.path);
  return meaning.kind === 'json' && !isBeyond(meaning.place.steps) ? meaning.place : null;
}

function contains({ operand, value }: Of<'contains'>, context: Context): string {
  const place = placeOf(operand, context);
  if (place === null) return FALSE;
  const { from, value: form } = context.dialect.elements(place, context.alias(), context.params);
  const element: Variable = { form, place: null, time: null };
  return `exists (select 1 from ${from} where ${oneOf(element, meaningsOf(value), context)})`;
}

function some({ operand, condition }: Of<'some'>, context: Context): string {
  const place = placeOf(operand, context);
  if (place === null) return FALSE;
  const alias = context.alias();
  const { from, base, isObject } = context.dialect.elements(place, alias, context.params);
  const resolve = (steps: Path): Meaning => ({ kind: 'json', place: { base, steps } });
  const work = context.dialect.work(`${alias}.id`, null);
  const inner = allOf([work, compileCondition(condition, { ...context, resolve })]);
  // `case` keeps the database from evaluating the condition on elements that are not objects.
  return `exists (select 1 from ${from} where case when ${isObject} then ${inner} else ${FALSE} end)`;
}

/** Compiles a filter for the current row. The result is true or false, never null. */
export function compileCondition(condition: Condition, context: Context): string {
  const { dialect, params } = context;
  switch (condition.kind) {
    case 'compare': {
      const [left, right] = [compileOperand(condition.left, context), compileOperand(condition.right, context)];
      return compareTerms(left, condition.operator, right, context);
    }
    case 'in':
      return oneOf(compileOperand(condition.operand, context), condition.values.flatMap(meaningsOf), context);
    case 'like':
      return onText(condition.operand, (txt) => dialect.like(txt, condition.pattern, params), context);
    case 'null':
      return isNull(condition.operand, context);
    case 'contains':
      return contains(condition, context);
    case 'some':
      return some(condition, context);
    case 'containsText':
      return onText(condition.operand, (txt) => dialect.containsText(txt, condition.text, params), context);
    case 'and':
      return allOf(condition.conditions.map((part) => compileCondition(part, context)));
    case 'or':
      return anyOf(condition.conditions.map((part) => compileCondition(part, context)));
    case 'not':
      return not(compileCondition(condition.condition, context));
  }
}
