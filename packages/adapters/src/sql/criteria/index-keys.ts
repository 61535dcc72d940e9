import {
  type Condition,
  documentColumn,
  lengthInCodePoints,
  meaningsOf,
  type Path,
  type Scalar,
  SORTED_LENGTH,
  sortedText,
} from '@baobab/core';
import { type CriteriaDialect, isPlainStep, type SqlValueForm } from './dialect.ts';
import { createParams, type Params } from './params.ts';
import { byType, columnOf, FALSE, isOneOf, mark, rankOf } from './scalars.ts';

/** The key of a path in maps. */
export const pathKey = (path: Path) => JSON.stringify(path);

/** The most steps of an indexed path. */
const MAX_STEPS = 8;

/** Whether a path of the content can be indexed: its text becomes part of statements. */
export const isIndexable = (path: Path) => path.length <= MAX_STEPS && path.every(isPlainStep);

/** The paths of an index without the field of the creation, by which documents with equal values are sorted anyway. */
export const contentPaths = (paths: readonly Path[]) => paths.filter(([first]) => documentColumn(first) === null);

/**
 * The expressions of an index: the value at a path in the form in which it is sorted.
 *
 * @param content the column with the content
 */
export function indexedForm(dialect: CriteriaDialect, path: Path, content = dialect.content): SqlValueForm {
  const params = createParams(dialect.typed);
  const { rank, num, txt } = dialect.value({ base: content, steps: path }, params);
  if (params.values.length > 0) throw new Error('an index cannot have parameters');
  return { rank, num, txt: dialect.head(txt, SORTED_LENGTH) };
}

/** The requirements of a condition on the value at one path, for each type that the value may have. */
export interface Demand {
  readonly path: Path;
  /** By rank: the requirement on the columns of the index; `exact` unless it is only a part of the condition. */
  readonly byRank: ReadonlyMap<number, string>;
  readonly isExact: boolean;
  /** Whether it requires one value of a type. */
  readonly isEquality: boolean;
}

const isShort = (value: Scalar) => typeof value !== 'string' || lengthInCodePoints(value) < SORTED_LENGTH;
const cut = (value: Scalar) => (typeof value === 'string' ? sortedText(value) : value);

/** The columns of the index before the one in which a value of this type is compared. */
const before = ({ num }: SqlValueForm, value: Scalar) => (typeof value === 'string' ? `${num} = 0 and ` : '');
const rest = ({ txt }: SqlValueForm, value: Scalar) => (typeof value === 'string' ? '' : ` and ${txt} = ''`);

function compared(form: SqlValueForm, operator: string, value: Scalar, params: Params): string {
  const sql = columnOf(form, value);
  if (operator === '=') return `${before(form, value)}${sql} = ${mark(cut(value), params)}${rest(form, value)}`;
  // Texts may differ although their indexed prefixes are equal.
  const wide = isShort(value) ? operator : `${operator.slice(0, 1)}=`;
  return `${before(form, value)}${sql} ${wide} ${mark(cut(value), params)}`;
}

type Compare = Extract<Condition, { kind: 'compare' }>;

const FLIPPED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

function ofComparison({ operator, left, right }: Compare, formOf: FormOf, params: Params): Demand | null {
  const [variable, constant, sign] =
    right.kind === 'constant' ? [left, right, operator] : [right, left, FLIPPED[operator] ?? operator];
  if (variable.kind !== 'path' || constant.kind !== 'constant' || operator === '<>') return null;
  const form = formOf(variable.path);
  if (form === null) return null;
  const values = meaningsOf(constant);
  const byRank = new Map(values.map((value) => [rankOf(value), compared(form, sign, value, params)]));
  return { path: variable.path, byRank, isExact: values.every(isShort), isEquality: operator === '=' };
}

function ofList(
  { operand, values }: Extract<Condition, { kind: 'in' }>,
  formOf: FormOf,
  params: Params,
): Demand | null {
  const form = operand.kind === 'path' ? formOf(operand.path) : null;
  if (operand.kind !== 'path' || form === null) return null;
  const scalars = values.flatMap(meaningsOf);
  const byRank = new Map<number, string>();
  for (const group of byType(scalars)) {
    const [first] = group;
    if (first === undefined) continue;
    const isOne = isOneOf(columnOf(form, first), Array.from(new Set(group.map(cut))), params);
    byRank.set(rankOf(first), `${before(form, first)}${isOne}${rest(form, first)}`);
  }
  return { path: operand.path, byRank, isExact: scalars.every(isShort), isEquality: false };
}

/** The text before the first wildcard of a canonical pattern, and the rest of the pattern. */
function beginningOf(pattern: string): { readonly text: string; readonly rest: string } {
  const [beginning = ''] = /^(?:[^%_\\]|\\[\s\S])*/.exec(pattern) ?? [];
  return { text: beginning.replace(/\\([\s\S])/g, '$1'), rest: pattern.slice(beginning.length) };
}

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const BEHIND_SURROGATES = 0xe000;

/** The first text after all texts with this prefix; null when there is none. */
function behindAll(text: string): string | null {
  const points = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last + 1 === FIRST_SURROGATE ? BEHIND_SURROGATES : last + 1;
  return String.fromCodePoint(...points, next);
}

function ofPattern(
  { operand, pattern }: Extract<Condition, { kind: 'like' }>,
  formOf: FormOf,
  params: Params,
): Demand | null {
  const form = operand.kind === 'path' ? formOf(operand.path) : null;
  if (operand.kind !== 'path' || form === null) return null;
  const { text, rest: others } = beginningOf(pattern);
  if (others === '') {
    return {
      path: operand.path,
      byRank: new Map([[3, compared(form, '=', text, params)]]),
      isExact: isShort(text),
      isEquality: true,
    };
  }
  if (text === '') return null;
  const end = behindAll(sortedText(text));
  const upTo = end === null ? '' : ` and ${form.txt} < ${params.text(end)}`;
  const range = `${before(form, text)}${form.txt} >= ${params.text(sortedText(text))}${upTo}`;
  return {
    path: operand.path,
    byRank: new Map([[3, range]]),
    isExact: others === '%' && isShort(text),
    isEquality: false,
  };
}

function ofNull({ operand }: Extract<Condition, { kind: 'null' }>, formOf: FormOf): Demand | null {
  const form = operand.kind === 'path' ? formOf(operand.path) : null;
  if (operand.kind !== 'path' || form === null) return null;
  return {
    path: operand.path,
    byRank: new Map([[0, `${form.num} = 0 and ${form.txt} = ''`]]),
    isExact: true,
    isEquality: true,
  };
}

/** The columns of the index on a path; null when there is none. */
export type FormOf = (path: Path) => SqlValueForm | null;

/** Null when the condition does not limit the value at one indexed path. */
export function demandOf(condition: Condition, formOf: FormOf, params: Params): Demand | null {
  switch (condition.kind) {
    case 'compare':
      return ofComparison(condition, formOf, params);
    case 'in':
      return ofList(condition, formOf, params);
    case 'like':
      return ofPattern(condition, formOf, params);
    case 'null':
      return ofNull(condition, formOf);
    default:
      return null;
  }
}

/** The conditions that must all hold. */
export function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(conjuncts) : [condition];
}

/** Whether all values have one rank, and not this one. */
const isAnother = ({ rank }: SqlValueForm, wanted: number) => /^\d$/.test(rank) && rank !== String(wanted);

/** One alternative for each type, since a value has one type: all requirements on it. */
export function alternatives(demands: readonly Demand[], formOf: FormOf): string[] {
  const [first] = demands;
  const form = first === undefined ? null : formOf(first.path);
  if (first === undefined || form === null) return [];
  const ranks = Array.from(first.byRank.keys()).filter(
    (rank) => !isAnother(form, rank) && demands.every(({ byRank }) => byRank.has(rank)),
  );
  if (ranks.length === 0) return [FALSE];
  return ranks.map(
    (rank) => `(${form.rank} = ${rank} and ${demands.map(({ byRank }) => byRank.get(rank)).join(' and ')})`,
  );
}
