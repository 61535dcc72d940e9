import { isExactNumber } from '../json-numbers.ts';
import { refuseUnfit } from '../json-text.ts';
import { isStorable } from '../utf8.ts';
import { wireDate } from '../wire.ts';
import { parseDate } from './dates.ts';
import { MAX_LIST_LENGTH, MAX_PATH_STEPS, MAX_PATTERN_LENGTH } from './limits.ts';
import type { Params } from './params.ts';
import { createReader, KEYWORDS, type TokenReader } from './reader.ts';
import type { CallerName, Constant, IndexedPath, Method, Operand, OrderKey, Path, PathStep, Scalar } from './syntax.ts';
import { lengthInCodePoints } from './text.ts';
import type { Token } from './tokens.ts';
import { numberOf } from './values.ts';

/** Input and state of the parser. */
export interface ParseContext {
  readonly reader: TokenReader;
  readonly params: Params;
  /** Returns the value of `sysdate()`, at this token, in milliseconds. */
  readonly now: (token: Token) => number;
  /** In rules, where `caller` is the caller, and lists may contain names. Checks also compare two states. */
  readonly rule?: 'condition' | 'check';
}

/** Names in a check: the document before and after the write, its parent, and the time of the write. */
const CHECK_NAMES: ReadonlySet<string> = new Set(['old', 'new', 'parent', 'now']);

const METHODS: ReadonlyMap<string, Method> = new Map(
  (['toLowerCase', 'toUpperCase', 'length', 'size'] as const).map((name) => [name.toLowerCase(), name]),
);
const METHOD_NAMES = Array.from(METHODS.values(), (name) => `.${name}()`).join(' ');
const INDEX = /^(?:0|[1-9]\d{0,14})$/;

const constant = (value: Constant['value'], untyped = false): Constant => ({ kind: 'constant', value, untyped });

/** Returns true if a name begins here: a word that is not a keyword, or a name in backticks. */
export function isName(reader: TokenReader): boolean {
  const { kind } = reader.peek();
  return kind === 'quoted' || (kind === 'word' && reader.keyword() === null);
}

/** @throws `criteria.invalid` */
export function parseName(reader: TokenReader, expected = 'a name'): string {
  if (!isName(reader)) throw reader.unexpected(expected);
  return reader.take().text;
}

/** Parses a member name. After a dot every word is a name, even a keyword. */
function parseMember(reader: TokenReader): string {
  const { kind } = reader.peek();
  if (kind !== 'word' && kind !== 'quoted') throw reader.unexpected('a name');
  return reader.take().text;
}

function parseIndex(reader: TokenReader): number {
  const token = reader.peek();
  if (token.kind !== 'number' || !INDEX.test(token.text)) throw reader.unexpected('an index: a whole number from 0');
  reader.take();
  reader.expect(']');
  return Number(token.text);
}

/** Returns true if a method follows the dot just read. */
const isMethod = (reader: TokenReader) => reader.peek().kind === 'word' && reader.isFollowedBy('(');

interface PathAndDot {
  readonly path: Path;
  /** True if the dot before a method was read. */
  readonly isDotTaken: boolean;
}

function parseSteps(reader: TokenReader): PathAndDot {
  const first = parseName(reader, 'a name or a value');
  const steps: PathStep[] = [];
  for (;;) {
    const isIndex = reader.accept('[');
    if (!isIndex && !reader.accept('.')) return { path: [first, ...steps], isDotTaken: false };
    if (!isIndex && isMethod(reader)) return { path: [first, ...steps], isDotTaken: true };
    if (steps.length === MAX_PATH_STEPS) throw reader.unexpected(`at most ${MAX_PATH_STEPS} steps in a path`);
    steps.push(isIndex ? parseIndex(reader) : parseMember(reader));
  }
}

/** Parses a path without methods. @throws `criteria.invalid` */
export function parsePath(reader: TokenReader): Path {
  reader.count(reader.peek());
  const { path, isDotTaken } = parseSteps(reader);
  if (isDotTaken) throw reader.unexpected('a name: methods are not allowed here');
  return path;
}

/**
 * Parses a path, which may end with `.toLowerCase()`, for an order or an index.
 *
 * @throws `criteria.invalid`
 */
export function parseSortedPath(reader: TokenReader): Pick<OrderKey, 'path' | 'method'> {
  reader.count(reader.peek());
  const { path, isDotTaken } = parseSteps(reader);
  if (!isDotTaken) return { path };
  const token = reader.take();
  if (METHODS.get(token.text.toLowerCase()) !== 'toLowerCase') throw reader.unexpected('.toLowerCase()', token);
  reader.count(token);
  reader.expect('(');
  reader.expect(')');
  return { path, method: 'toLowerCase' };
}

/** Parses a text that consists of an indexed path. @throws `criteria.invalid` */
export function parseIndexedPath(text: string): IndexedPath {
  const reader = createReader('path', text);
  const sorted = parseSortedPath(reader);
  if (reader.peek().kind !== 'end') throw reader.unexpected('".", "[" or the end');
  return sorted.method === undefined ? sorted.path : { lower: sorted.path };
}

/** Parses a text that consists of a path. @throws `criteria.invalid` */
export function parsePathText(text: string): Path {
  const reader = createReader('path', text);
  const path = parsePath(reader);
  if (reader.peek().kind !== 'end') throw reader.unexpected('".", "[" or the end');
  return path;
}

const PLAIN_NAME = /^[\p{L}\p{M}\p{Nd}_@$]+$/u;
const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``;

/** Returns the text of a path; for a single name the name itself. */
export function pathText([first, ...steps]: Path): string {
  if (steps.length === 0) return first;
  const isPlain = PLAIN_NAME.test(first) && !/^\d/.test(first) && !KEYWORDS.has(first.toLowerCase());
  return steps.reduce<string>(
    (text, step) => {
      if (typeof step === 'number') return `${text}[${step}]`;
      return `${text}.${PLAIN_NAME.test(step) ? step : quoted(step)}`;
    },
    isPlain ? first : quoted(first),
  );
}

/** Returns the text of an indexed path. */
export const indexedPathText = (indexed: IndexedPath) =>
  'lower' in indexed ? `${pathText(indexed.lower)}.toLowerCase()` : pathText(indexed);

/** Functions: names followed by parentheses. */
const FUNCTIONS: Readonly<Record<string, (context: ParseContext, name: Token) => Operand>> = {
  date({ reader, params }) {
    const token = reader.take();
    const isParam = token.kind === 'symbol' && token.text === '?';
    if (token.kind !== 'text' && !isParam) throw reader.unexpected('a text or ?', token);
    const date = parseDate(isParam ? params.take(reader, token) : token.text);
    if (date === null) throw reader.unexpected('a date such as 2014-01-31 or 2014-01-31T09:12:03.512Z', token);
    return constant(date);
  },
  sysdate: ({ now }, name) => constant(wireDate(now(name))),
  distance(context) {
    const next = () => {
      context.reader.expect(',');
      return coordinate(context);
    };
    return { kind: 'distance', of: [coordinate(context), next(), next(), next()] };
  },
};

/** Returns true if an operand contains a distance. A distance within a distance would be meaningless and expensive. */
const hasDistance = (operand: Operand): boolean =>
  operand.kind === 'distance' || (operand.kind === 'call' && hasDistance(operand.of));

/** Parses a coordinate. An untyped parameter is converted to a number. */
function coordinate(context: ParseContext): Operand {
  const token = context.reader.peek();
  const operand = parseOperand(context);
  if (hasDistance(operand)) throw context.reader.unexpected('a name, a number or ?', token);
  if (operand.kind !== 'constant' || !operand.untyped) return operand;
  return constant(numberOf(String(operand.value)) ?? operand.value);
}

function parseFunction(context: ParseContext): Operand {
  const { reader } = context;
  const name = reader.take();
  const known = name.text.toLowerCase();
  const parse = Object.hasOwn(FUNCTIONS, known) ? FUNCTIONS[known] : undefined;
  if (parse === undefined) throw reader.unexpected('date(…), sysdate(), distance(…) or a name', name);
  reader.expect('(');
  const operand = reader.deeper(() => parse(context, name));
  reader.expect(')');
  return operand;
}

const CONSTANT_WORDS: Readonly<Record<string, boolean>> = { true: true, false: false };

const CALLER_NAMES: ReadonlySet<string> = new Set<CallerName>(['id', 'name', 'roles', 'groups']);
const isCallerName = (name: string): name is CallerName => CALLER_NAMES.has(name);

/** Parses the name after `caller`. @throws `criteria.invalid` */
function parseCaller(reader: TokenReader): Constant {
  reader.count(reader.take());
  reader.expect('.');
  const token = reader.take();
  if (!isCallerName(token.text)) throw reader.unexpected(Array.from(CALLER_NAMES).join(', '), token);
  return { ...constant(''), caller: token.text };
}

/**
 * Parses a literal, a parameter or (in rules) a name of the caller; null if something else follows.
 *
 * @throws `criteria.invalid`
 */
export function parseConstant({ reader, params, rule }: ParseContext): Constant | null {
  const token = reader.peek();
  if (rule !== undefined && token.kind === 'word' && token.text === 'caller') return parseCaller(reader);
  const keyword = reader.keyword();
  const word = keyword === null ? undefined : CONSTANT_WORDS[keyword];
  const isParam = token.kind === 'symbol' && token.text === '?';
  if (token.kind !== 'text' && token.kind !== 'number' && word === undefined && !isParam) return null;
  reader.count(reader.take());
  if (token.kind === 'text') return constant(token.text);
  if (token.kind === 'number') return constant(Number(token.text) + 0); // turns -0 into 0: databases show -0 differently
  return word === undefined ? constant(params.take(reader, token), true) : constant(word);
}

function parseMethods(context: ParseContext, first: Operand, isDotTaken: boolean): Operand {
  const { reader } = context;
  let operand = first;
  let isAfterDot = isDotTaken || reader.accept('.');
  for (let calls = 1; isAfterDot; calls++) {
    reader.refuseDeeper(calls);
    const token = reader.take();
    reader.count(token);
    const method = token.kind === 'word' ? METHODS.get(token.text.toLowerCase()) : undefined;
    if (method === undefined) throw reader.unexpected(`one of ${METHOD_NAMES}`, token);
    reader.expect('(');
    reader.expect(')');
    operand = { kind: 'call', method, of: operand };
    isAfterDot = reader.accept('.');
  }
  return operand;
}

/** Parses an expression: a literal, a parameter, a path or a function, with methods. @throws `criteria.invalid` */
export function parseOperand(context: ParseContext): Operand {
  const { reader } = context;
  const literal = parseConstant(context);
  if (literal !== null) return parseMethods(context, literal, false);
  reader.count(reader.peek());
  if (reader.peek().kind === 'word' && reader.isFollowedBy('(') && reader.keyword() === null) {
    return parseMethods(context, parseFunction(context), false);
  }
  const token = reader.peek();
  const { path, isDotTaken } = parseSteps(reader);
  if (context.rule === 'check' && !CHECK_NAMES.has(path[0])) {
    throw reader.unexpected('old, new, parent, caller, now or changed(…)', token);
  }
  return parseMethods(context, { kind: 'path', path }, isDotTaken);
}

/** Parses the text after `like` or `containsText`: a literal or a parameter. @throws `criteria.invalid` */
export function parsePattern(context: ParseContext): string {
  const token = context.reader.peek();
  const value = parseConstant(context)?.value;
  if (typeof value !== 'string') throw context.reader.unexpected('a text or ?', token);
  if (lengthInCodePoints(value) <= MAX_PATTERN_LENGTH) return value;
  throw context.reader.unexpected(`a text of at most ${MAX_PATTERN_LENGTH} characters`, token);
}

/** An element of a list, which may be null. */
type Element = Constant | null;

function elementOf(value: unknown): Element | undefined {
  if (value === null) return null;
  if (typeof value === 'string') return isStorable(value) ? constant(value) : undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? constant(value + 0) : undefined;
  return typeof value === 'boolean' ? constant(value) : undefined;
}

/** Parses a list parameter; undefined if it is not a list. */
function parseList(text: string): Element[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length > MAX_LIST_LENGTH) return undefined;
  refuseUnfit(text, 'params');
  const elements = value.map(elementOf);
  return elements.every((element) => element !== undefined) ? elements : undefined;
}

function parseElement(context: ParseContext): Operand | null {
  const { reader, rule } = context;
  if (reader.keyword() === 'null') {
    reader.count(reader.take());
    return null;
  }
  if (rule !== undefined) return parseOperand(context);
  const value = parseConstant(context) ?? parseConstantCall(context);
  if (value === null) throw reader.unexpected('a literal or ?');
  return value;
}

/** Parses `date(…)` and `sysdate()`, which are texts; null if something else follows. */
function parseConstantCall(context: ParseContext): Constant | null {
  const { reader } = context;
  if (reader.peek().kind !== 'word' || !reader.isFollowedBy('(')) return null;
  const token = reader.peek();
  reader.count(token);
  const operand = parseFunction(context);
  if (operand.kind !== 'constant') throw reader.unexpected('a literal or ?', token);
  return operand;
}

/** Parses the list after `in`; null if a path follows instead. @throws `criteria.invalid` */
export function parseElements(context: ParseContext): Array<Operand | null> | null {
  const { reader, params } = context;
  const mark = reader.peek();
  if (reader.accept('?')) {
    reader.count(mark);
    const elements = parseList(params.take(reader, mark));
    if (elements !== undefined) return elements;
    throw reader.unexpected(`a parameter that is a JSON array of at most ${MAX_LIST_LENGTH} scalars`, mark);
  }
  const close = reader.accept('[') ? ']' : reader.accept('(') ? ')' : null;
  if (close === null) return null;
  const elements: Array<Operand | null> = [];
  if (reader.accept(close)) return elements;
  do elements.push(parseElement(context));
  while (reader.accept(','));
  if (!reader.accept(close)) throw reader.unexpected(`"," or "${close}"`);
  return elements;
}

/**
 * Returns the scalars that a constant may mean: itself, and for a parameter also the number or boolean that it spells.
 * Only as a text does it equal an id with more digits than a number has.
 */
export function meaningsOf({ value, untyped }: Constant): readonly Scalar[] {
  if (!untyped || typeof value !== 'string') return [value];
  if (value === 'true' || value === 'false') return [value, value === 'true'];
  const number = numberOf(value);
  return number === null || !isExactNumber(value) ? [value] : [value, number];
}
