import { meaningsOf, type Operand, type Path, type Scalar } from '@baobab/core';
import { type CriteriaDialect, isBeyond, type JsonPlace, NOTHING, type SqlValueForm } from './dialect.ts';
import type { Params } from './params.ts';

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
  /** Returns a unique name for a table of the statement. */
  alias(): string;
}

/** An operand whose value depends on the row. */
export interface Variable {
  readonly form: SqlValueForm;
  /** Place of the JSON value, which may be an array. Null if it is not JSON. */
  readonly place: JsonPlace | null;
  /** A time, in milliseconds. Null for other values. */
  readonly time: string | null;
}

export type Term = { readonly constants: readonly Scalar[] } | Variable;

export const isConstant = (term: Term): term is { readonly constants: readonly Scalar[] } => 'constants' in term;

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
  const changed = method === 'toLowerCase' ? dialect.toLowerCase(txt) : dialect.toUpperCase(txt);
  return variable({ ...NOTHING, rank: `case when ${isText} then 3 else 0 end`, txt: changed });
}

function distance(of: Extract<Operand, { kind: 'distance' }>['of'], context: Context): Variable {
  const [a, b, c, d] = of.map((operand) => asVariable(compileOperand(operand, context), context).form);
  if (a === undefined || b === undefined || c === undefined || d === undefined) return variable(NOTHING);
  const areNumbers = [a, b, c, d].map((form) => isRank(form, 2)).join(' and ');
  const num = context.dialect.kilometres([a.num, b.num, c.num, d.num]);
  return variable({ ...NOTHING, rank: `case when ${areNumbers} then 2 else 0 end`, num });
}

/** Returns a constant operand as the scalar that it was written as. */
export function asVariable(term: Term, context: Context): Variable {
  return isConstant(term) ? variable(constantForm(term.constants[0], context)) : term;
}

export function compileOperand(operand: Operand, context: Context): Term {
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
