import {
  type Comparison,
  type Condition,
  flipped,
  holds,
  meaningsOf,
  type Operand,
  type Path,
  type Scalar,
} from '@baobab/core';
import {
  allOf,
  anyOf,
  byType,
  type CriteriaDialect,
  columnOf,
  compareForms,
  compareWith,
  FALSE,
  isBeyond,
  isOneOf,
  type JsonPlace,
  lowerForm,
  NOTHING,
  not,
  type Params,
  rankOf,
  type SqlValueForm,
  TRUE,
} from './dialect.ts';
import { compileWordTests } from './text-tests.ts';
import { compareTime } from './times.ts';

/** Meaning of a path in the queried objects. */
export type Meaning =
  | { readonly kind: 'json'; readonly place: JsonPlace }
  /** A time, in milliseconds. */
  | { readonly kind: 'time'; readonly column: string }
  | { readonly kind: 'form'; readonly form: SqlValueForm };

export type Resolve = (path: Path) => Meaning;

/** State of a compilation. */
export interface Context {
  readonly dialect: CriteriaDialect;
  readonly params: Params;
  readonly resolve: Resolve;
}

/** An operand whose value depends on the row. */
interface Variable {
  readonly form: SqlValueForm;
  /** Place of the JSON value, which may be an array. Null if it is not JSON. */
  readonly place: JsonPlace | null;
  /** A time, in milliseconds. Null for other values. */
  readonly time: string | null;
}

type Term = { readonly constants: readonly Scalar[] } | Variable;

const isConstant = (term: Term): term is { readonly constants: readonly Scalar[] } => 'constants' in term;

const variable = (form: SqlValueForm): Variable => ({ form, place: null, time: null });

const isRank = (form: SqlValueForm, rank: number) => `${form.rank} = ${rank}`;

function constantForm(value: Scalar | undefined, { params }: Context): SqlValueForm {
  if (value === undefined) return NOTHING;
  if (typeof value === 'string') return { ...NOTHING, rank: '3', txt: params.text(value) };
  return { ...NOTHING, rank: typeof value === 'number' ? '2' : '1', num: params.number(Number(value)) };
}

/** Returns the value at a path, in the form used for comparisons. */
export function formOf(meaning: Meaning, { dialect, params }: Context): SqlValueForm {
  switch (meaning.kind) {
    case 'form':
      return meaning.form;
    case 'time':
      return { ...NOTHING, rank: '3', txt: dialect.wireDate(meaning.column) };
    case 'json':
      return isBeyond(meaning.place.steps) ? NOTHING : dialect.value(meaning.place, params);
  }
}

function pathVariable(path: Path, context: Context): Variable {
  const meaning = context.resolve(path);
  const form = formOf(meaning, context);
  if (meaning.kind === 'time') return { form, place: null, time: meaning.column };
  const isPlace = meaning.kind === 'json' && !isBeyond(meaning.place.steps);
  return { form, place: isPlace ? meaning.place : null, time: null };
}

function call({ method, of }: Extract<Operand, { kind: 'call' }>, context: Context): Variable {
  const { dialect, params } = context;
  const term = of.kind === 'path' ? pathVariable(of.path, context) : asVariable(compileOperand(of, context), context);
  if (method === 'size') {
    if (term.place === null) return variable(NOTHING);
    const size = dialect.size(term.place, params);
    const rank = `case when ${size} >= 0 then 2 else 0 end`;
    return variable({ ...NOTHING, rank, num: `cast(${size} as double precision)` });
  }
  const { txt } = term.form;
  const isText = isRank(term.form, 3);
  if (method === 'length') {
    const num = `cast(${dialect.lengthOf(txt)} as double precision)`;
    return variable({ ...NOTHING, rank: `case when ${isText} then 2 else 0 end`, num });
  }
  if (method === 'toLowerCase') return variable(lowerForm(term.form, dialect));
  return variable({ ...NOTHING, rank: `case when ${isText} then 3 else 0 end`, txt: dialect.toUpperCase(txt) });
}

function distance(of: Extract<Operand, { kind: 'distance' }>['of'], context: Context): Variable {
  const [a, b, c, d] = of.map((operand) => asVariable(compileOperand(operand, context), context).form);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return variable(NOTHING);
  const areNumbers = [a, b, c, d].map((form) => isRank(form, 2)).join(' and ');
  const num = context.dialect.kilometres([a.num, b.num, c.num, d.num]);
  return variable({ ...NOTHING, rank: `case when ${areNumbers} then 2 else 0 end`, num });
}

/** Returns a constant operand as the scalar that it was written as. */
function asVariable(term: Term, context: Context): Variable {
  return isConstant(term) ? variable(constantForm(term.constants[0], context)) : term;
}

function compileOperand(operand: Operand, context: Context): Term {
  switch (operand.kind) {
    case 'constant':
      return { constants: meaningsOf(operand) };
    case 'path':
      return pathVariable(operand.path, context);
    case 'call':
      return call(operand, context);
    case 'distance':
      return distance(operand.of, context);
  }
}

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
  const { from, value: form } = context.dialect.elements(place, context.params.alias(), context.params);
  const element: Variable = { form, place: null, time: null };
  return `exists (select 1 from ${from} where ${oneOf(element, meaningsOf(value), context)})`;
}

function some({ operand, condition }: Of<'some'>, context: Context): string {
  const place = placeOf(operand, context);
  if (place === null) return FALSE;
  const alias = context.params.alias();
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
    case 'fullText':
      return compileWordTests(condition.search, context);
    case 'and':
      return allOf(condition.conditions.map((part) => compileCondition(part, context)));
    case 'or':
      return anyOf(condition.conditions.map((part) => compileCondition(part, context)));
    case 'not':
      return not(compileCondition(condition.condition, context));
  }
}
