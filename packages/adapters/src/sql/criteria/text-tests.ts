import {
  type Condition,
  type Constant,
  comparedConstant,
  conjuncts,
  type FullTextSearch,
  meaningsOf,
  type Needle,
  needlesOf,
  type Operand,
  type Path,
  type Scalar,
} from '@baobab/core';
import type { Context } from './conditions.ts';
import { allOf, anyOf, type CriteriaDialect, not, type Params, TRUE } from './dialect.ts';

/**
 * A test on the JSON text of an object, which every object that matches a filter passes. A substring search takes a
 * fraction of the time of parsing, and most rows fail it.
 *
 * Stored JSON is canonical, as returned by `JSON.stringify`. So a name with a certain value has exactly one text.
 */
export type TextTest =
  | { readonly kind: 'contains'; readonly part: string }
  | { readonly kind: 'all' | 'any'; readonly tests: readonly TextTest[] };

/** Returns true if a path leads into the tested JSON text. */
export type IsTested = (path: Path) => boolean;

/** Maximum number of alternatives. More would take as long as parsing. */
const MOST_ALTERNATIVES = 8;
/** Maximum number of combined tests. Further ones would exclude hardly any more rows. */
const MOST_AT_ONCE = 3;
/** Maximum number of code points to search for. The cost is at most this number times the length of the text. */
const LONGEST_PART = 32;

const contains = (part: string): TextTest => ({ kind: 'contains', part });

/** Returns the text immediately before a value, as far as the path determines it. */
function before(path: readonly (string | number)[]): string {
  const last = path.at(-1);
  if (typeof last === 'string') return `${JSON.stringify(last)}:`;
  return last === 0 ? `${before(path.slice(0, -1))}[` : ',';
}

/** Returns the text within the quotes. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** Returns the length of the required text: the longer, the fewer rows contain it. */
function lengthOf(test: TextTest): number {
  if (test.kind === 'contains') return test.part.length;
  const lengths = test.tests.map(lengthOf);
  return test.kind === 'all' ? Math.max(...lengths) : Math.min(...lengths);
}

const partsOf = (test: TextTest): number =>
  test.kind === 'contains' ? 1 : test.tests.reduce((sum, part) => sum + partsOf(part), 0);

function all(tests: readonly (TextTest | null)[]): TextTest | null {
  const longest = tests.filter((test) => test !== null).sort((a, b) => lengthOf(b) - lengthOf(a));
  const [first, ...others] = longest.slice(0, MOST_AT_ONCE);
  return first === undefined || others.length === 0 ? (first ?? null) : { kind: 'all', tests: [first, ...others] };
}

function any(tests: readonly (TextTest | null)[]): TextTest | null {
  const known = tests.filter((test) => test !== null);
  const [first, ...others] = known;
  if (first === undefined || known.length < tests.length) return null;
  if (known.reduce((sum, test) => sum + partsOf(test), 0) > MOST_ALTERNATIVES) return null;
  return others.length === 0 ? first : { kind: 'any', tests: known };
}

/** Returns the distinct scalars that one of these constants may mean. */
const scalarsOf = (constants: readonly Constant[]): Scalar[] => Array.from(new Set(constants.flatMap(meaningsOf)));

/** Returns the path of an operand into the text, or null for any other operand. */
const testedPath = (operand: Operand, isTested: IsTested): Path | null =>
  operand.kind === 'path' && isTested(operand.path) ? operand.path : null;

function isOneOf(operand: Operand, constants: readonly Constant[], isTested: IsTested): TextTest | null {
  const path = testedPath(operand, isTested);
  if (path === null) return null;
  return any(scalarsOf(constants).map((value) => contains(`${before(path)}${JSON.stringify(value)}`)));
}

function comparison(condition: Extract<Condition, { kind: 'compare' }>, isTested: IsTested): TextTest | null {
  const compared = comparedConstant(condition);
  return compared?.operator === '=' ? isOneOf(compared.operand, [compared.constant], isTested) : null;
}

/** Returns the literal parts of a canonical pattern, between its wildcards. */
function literalsOf(pattern: string): string[] {
  const literals = [''];
  for (const [char, literal] of pattern.matchAll(/\\([\s\S])|[\s\S]/gu)) {
    if (char === '%' || char === '_') literals.push('');
    else literals.push(`${literals.pop()}${literal ?? char}`);
  }
  return literals;
}

/** Tests for the longest literal part. The first and the last one end at the quotes of the text. */
function matches(operand: Operand, pattern: string, isTested: IsTested): TextTest | null {
  const path = testedPath(operand, isTested);
  if (path === null) return null;
  const literals = literalsOf(pattern);
  const last = literals.length - 1;
  const longest = literals.reduce((best, { length }, at) => (length > (literals[best]?.length ?? 0) ? at : best), 0);
  const literal = literals[longest] ?? '';
  if (literal === '' && last > 0) return null;
  return contains(`${longest === 0 ? `${before(path)}"` : ''}${escaped(literal)}${longest === last ? '"' : ''}`);
}

function containsText(operand: Operand, text: string, isTested: IsTested): TextTest | null {
  return text === '' || testedPath(operand, isTested) === null ? null : contains(escaped(text));
}

/** Tests for an array element. A text has quotes. Any other value follows a bracket or a comma. */
function hasElement(operand: Operand, constant: Constant, isTested: IsTested): TextTest | null {
  if (testedPath(operand, isTested) === null) return null;
  const parts = meaningsOf(constant).flatMap((value) => {
    const json = JSON.stringify(value);
    return typeof value === 'string' ? [json] : [`[${json}`, `,${json}`];
  });
  return any(parts.map(contains));
}

/** Returns a test that every matching object passes, or null if there is none. */
export function textTestOf(condition: Condition, isTested: IsTested): TextTest | null {
  switch (condition.kind) {
    case 'compare':
      return comparison(condition, isTested);
    case 'in':
      return isOneOf(condition.operand, condition.values, isTested);
    case 'like':
      return matches(condition.operand, condition.pattern, isTested);
    case 'containsText':
      return containsText(condition.operand, condition.text, isTested);
    case 'contains':
      return hasElement(condition.operand, condition.value, isTested);
    case 'some':
      return testedPath(condition.operand, isTested) === null ? null : textTestOf(condition.condition, () => true);
    case 'and':
      return all(condition.conditions.map((part) => textTestOf(part, isTested)));
    case 'or':
      return any(condition.conditions.map((part) => textTestOf(part, isTested)));
    case 'fullText':
    case 'null':
    case 'not':
      return null;
  }
}

/** Returns the end of a part: the value rather than the name before it. */
const ending = (part: string) => Array.from(part).slice(-LONGEST_PART).join('');

/** @param text a column with canonical JSON */
export function compileTextTest(test: TextTest | null, text: string, dialect: CriteriaDialect, params: Params): string {
  if (test === null) return TRUE;
  if (test.kind === 'contains') return dialect.containsPart(text, ending(test.part), params);
  const tests = test.tests.map((part) => compileTextTest(part, text, dialect, params));
  return test.kind === 'all' ? allOf(tests) : anyOf(tests);
}

const WORDS = 'documents.words';

/** Returns the full-text search among the conditions of a filter, or null. */
export function searchIn(where: Condition | null): FullTextSearch | null {
  if (where === null) return null;
  return conjuncts(where).find((condition) => condition.kind === 'fullText')?.search ?? null;
}

/** Compiles a search to tests on the stored words, which decide on every database. Indexes only find candidates. */
export function compileWordTests(search: FullTextSearch, { dialect, params }: Context): string {
  const { terms, excluded } = needlesOf(search);
  const contains = (needles: readonly Needle[]) =>
    anyOf(needles.map(({ text }) => dialect.containsText(WORDS, text, params)));
  const tests = [...terms.map(contains), ...excluded.map((needles) => not(contains(needles)))];
  return `(${allOf([`${WORDS} is not null`, ...tests])})`;
}

/** Returns the number of hits in the stored words, each multiplied by its weight. */
export function compileScore(search: FullTextSearch, { dialect, params }: Pick<Context, 'dialect' | 'params'>): string {
  const hits = needlesOf(search)
    .terms.flat()
    .map(({ text, weight }) => {
      const needle = params.text(text);
      const rest = dialect.lengthOf(`replace(${WORDS}, ${needle}, '')`);
      return `${weight} * ((${dialect.lengthOf(WORDS)} - ${rest}) / ${dialect.lengthOf(needle)})`;
    });
  return `(${hits.join(' + ')})`;
}

/** Words in a needle, without parentheses. The last one is a prefix if the parenthesis after it is missing. */
function wordsOf({ text }: Needle) {
  return { words: text.slice(1).replace(/\)$/, '').split(')('), isPrefix: !text.endsWith(')') };
}

/**
 * Returns the query of a full-text index that finds all candidates of a search.
 *
 * @param dialect `exact` and `prefix` quote a word, `and` and `or` are the operators
 */
export function candidateQuery(
  search: FullTextSearch,
  dialect: {
    exact(word: string): string;
    prefix(word: string): string;
    readonly and: string;
    readonly or: string;
  },
): string {
  const all = (needle: Needle) => {
    const { words, isPrefix } = wordsOf(needle);
    const parts = words.map((word, at) =>
      isPrefix && at === words.length - 1 ? dialect.prefix(word) : dialect.exact(word),
    );
    return `(${parts.join(dialect.and)})`;
  };
  return needlesOf(search)
    .terms.map((needles) => `(${needles.map(all).join(dialect.or)})`)
    .join(dialect.and);
}
