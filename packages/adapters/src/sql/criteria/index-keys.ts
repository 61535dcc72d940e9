import {
  type Condition,
  comparedConstant,
  documentColumn,
  helpfulIndex,
  type IndexedPath,
  isPlain,
  lengthInCodePoints,
  meaningsOf,
  pathIn,
  type Scalar,
  SORTED_LENGTH,
  sortedText,
} from '@baobab/core';
import {
  byType,
  type CriteriaDialect,
  columnOf,
  createParams,
  FALSE,
  isOneOf,
  isPlainStep,
  lowerForm,
  mark,
  type Params,
  rankOf,
  type SqlValueForm,
} from './dialect.ts';

/** Returns the key of a path in maps. */
export const pathKey = (path: IndexedPath) => JSON.stringify(path);

/** Maximum number of steps in an indexed path. */
const MAX_STEPS = 8;

/** True if a path of the content can be indexed. Its text becomes part of statements. */
export function isIndexable(indexed: IndexedPath): boolean {
  const path = pathIn(indexed);
  return path.length <= MAX_STEPS && path.every(isPlainStep);
}

/**
 * Returns the paths of an index without the creation time, which is the order of documents with equal values anyway.
 */
export const contentPaths = (paths: readonly IndexedPath[]) =>
  paths.filter((indexed) => documentColumn(pathIn(indexed)[0]) === null);

/**
 * Returns the expressions of an index: the value at a path in its sorted form.
 *
 * @param content column with the content
 */
export function indexedForm(dialect: CriteriaDialect, indexed: IndexedPath, content = dialect.content): SqlValueForm {
  const params = createParams(dialect.typed);
  const value = dialect.value({ base: content, steps: pathIn(indexed) }, params);
  if (params.values.length > 0) throw new Error('an index cannot have parameters');
  const { rank, num, txt } = isPlain(indexed) ? value : lowerForm(value, dialect);
  return { rank, num, txt: dialect.head(txt, SORTED_LENGTH) };
}

/** Requirements of a condition on the value at one path, for each possible type of the value. */
export interface Demand {
  readonly path: IndexedPath;
  /** By rank: requirement on the columns of the index. Covers the whole condition if `isExact`. */
  readonly byRank: ReadonlyMap<number, string>;
  readonly isExact: boolean;
  /** True if it requires a single value of a type. */
  readonly isEquality: boolean;
}

const isShort = (value: Scalar) => typeof value !== 'string' || lengthInCodePoints(value) < SORTED_LENGTH;
const cut = (value: Scalar) => (typeof value === 'string' ? sortedText(value) : value);

/** Columns of the index before the one that compares a value of this type. */
const before = ({ num }: SqlValueForm, value: Scalar) => (typeof value === 'string' ? `${num} = 0 and ` : '');
const rest = ({ txt }: SqlValueForm, value: Scalar) => (typeof value === 'string' ? '' : ` and ${txt} = ''`);

function compared(form: SqlValueForm, operator: string, value: Scalar, params: Params): string {
  const sql = columnOf(form, value);
  if (operator === '=') return `${before(form, value)}${sql} = ${mark(cut(value), params)}${rest(form, value)}`;
  // Texts with equal indexed prefixes may differ.
  const wide = isShort(value) ? operator : `${operator.slice(0, 1)}=`;
  return `${before(form, value)}${sql} ${wide} ${mark(cut(value), params)}`;
}

/** Requirements of one condition on the columns of an index. */
type Requirements = Omit<Demand, 'path'>;

function ofComparison(
  condition: Extract<Condition, { kind: 'compare' }>,
  form: SqlValueForm,
  params: Params,
): Requirements | null {
  const found = comparedConstant(condition);
  if (found === null) return null;
  const { operator, constant } = found;
  const values = meaningsOf(constant);
  const byRank = new Map(values.map((value) => [rankOf(value), compared(form, operator, value, params)]));
  return { byRank, isExact: values.every(isShort), isEquality: operator === '=' };
}

function ofList({ values }: Extract<Condition, { kind: 'in' }>, form: SqlValueForm, params: Params): Requirements {
  const scalars = values.flatMap(meaningsOf);
  const byRank = new Map<number, string>();
  for (const group of byType(scalars)) {
    const [first] = group;
    if (first === undefined) continue;
    const isOne = isOneOf(columnOf(form, first), Array.from(new Set(group.map(cut))), params);
    byRank.set(rankOf(first), `${before(form, first)}${isOne}${rest(form, first)}`);
  }
  return { byRank, isExact: scalars.every(isShort), isEquality: false };
}

/** Splits a canonical pattern into the text before the first wildcard and the rest of the pattern. */
function beginningOf(pattern: string): { readonly text: string; readonly rest: string } {
  const [beginning = ''] = /^(?:[^%_\\]|\\[\s\S])*/.exec(pattern) ?? [];
  return { text: beginning.replace(/\\([\s\S])/g, '$1'), rest: pattern.slice(beginning.length) };
}

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const BEHIND_SURROGATES = 0xe000;

/** Returns the first text after all texts with this prefix, or null if there is none. */
function behindAll(text: string): string | null {
  const points = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last + 1 === FIRST_SURROGATE ? BEHIND_SURROGATES : last + 1;
  return String.fromCodePoint(...points, next);
}

function ofPattern(pattern: string, form: SqlValueForm, params: Params): Requirements {
  const { text, rest: others } = beginningOf(pattern);
  if (others === '') {
    return { byRank: new Map([[3, compared(form, '=', text, params)]]), isExact: isShort(text), isEquality: true };
  }
  const end = behindAll(sortedText(text));
  const upTo = end === null ? '' : ` and ${form.txt} < ${params.text(end)}`;
  const range = `${before(form, text)}${form.txt} >= ${params.text(sortedText(text))}${upTo}`;
  return { byRank: new Map([[3, range]]), isExact: others === '%' && isShort(text), isEquality: false };
}

const ofNull = ({ num, txt }: SqlValueForm): Requirements => ({
  byRank: new Map([[0, `${num} = 0 and ${txt} = ''`]]),
  isExact: true,
  isEquality: true,
});

/** Returns the index columns of a path, or null if there is no index. */
export type FormOf = (path: IndexedPath) => SqlValueForm | null;

function requirementsOf(condition: Condition, form: SqlValueForm, params: Params): Requirements | null {
  switch (condition.kind) {
    case 'compare':
      return ofComparison(condition, form, params);
    case 'in':
      return ofList(condition, form, params);
    case 'like':
      return ofPattern(condition.pattern, form, params);
    case 'null':
      return ofNull(form);
    default:
      return null;
  }
}

/** Returns null if the condition does not limit the value at one indexed path. */
export function demandOf(condition: Condition, formOf: FormOf, params: Params): Demand | null {
  const path = helpfulIndex(condition)?.path;
  const form = path === undefined ? null : formOf(path);
  const requirements = form === null ? null : requirementsOf(condition, form, params);
  return path === undefined || requirements === null ? null : { path, ...requirements };
}

/** True if all values have the same rank, other than the wanted one. */
const isAnother = ({ rank }: SqlValueForm, wanted: number) => /^\d$/.test(rank) && rank !== String(wanted);

/** Returns one alternative for each type, since a value has one type: all requirements on it. */
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
