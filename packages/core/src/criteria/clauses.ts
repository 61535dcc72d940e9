import { COLLATIONS, type Collation, isCollation } from './collations.ts';
import { MAX_KEYS } from './limits.ts';
import {
  isName,
  type ParseContext,
  parseName,
  parseOperand,
  parsePath,
  parseSortedPath,
  pathText,
} from './operands.ts';
import type { TokenReader } from './reader.ts';
import type { Aggregate, AggregateName, Field, Operand, OrderKey, Path, Projection, Snippet } from './syntax.ts';

/** Parses one or more items separated by commas, up to the end. */
function parseRow<T>(reader: TokenReader, parse: () => T): T[] {
  const row = [parse()];
  while (reader.accept(',')) row.push(parse());
  if (reader.peek().kind !== 'end') throw reader.unexpected('"," or the end');
  return row;
}

/** Parses names to sort by, to group by or to expand. */
export function parseKeys<T>(reader: TokenReader, parse: () => T): T[] {
  let count = 0;
  return parseRow(reader, () => {
    if (++count > MAX_KEYS) throw reader.unexpected(`at most ${MAX_KEYS} names`);
    return parse();
  });
}

/** Parses `collate 'de'`; null if something else follows. The word is not reserved: fields may have this name. */
function parseCollation(reader: TokenReader): Collation | null {
  const { kind, text } = reader.peek();
  if (kind !== 'word' || text.toLowerCase() !== 'collate') return null;
  reader.take();
  const language = reader.take();
  if (language.kind === 'text' && isCollation(language.text)) return language.text;
  throw reader.unexpected(`a language: ${COLLATIONS.map((name) => `'${name}'`).join(', ')}`, language);
}

/** Parses `orderBy`. @throws `criteria.invalid` */
export function parseOrder(reader: TokenReader): OrderKey[] {
  return parseKeys(reader, () => {
    const sorted = parseSortedPath(reader);
    const collation = parseCollation(reader);
    const descending = reader.accept('desc');
    if (!descending) reader.accept('asc');
    return { ...sorted, descending, ...(collation !== null && { collation }) };
  });
}

/** Parses `groupBy`. @throws `criteria.invalid` */
export function parseGroups(reader: TokenReader): Path[] {
  return parseKeys(reader, () => parsePath(reader));
}

const AGGREGATES: ReadonlySet<string> = new Set<AggregateName>(['count', 'sum', 'avg', 'min', 'max']);

/** Returns the name of the aggregate that begins here; null if there is none. */
function aggregateName(reader: TokenReader): AggregateName | null {
  const token = reader.peek();
  const name = token.text.toLowerCase();
  return token.kind === 'word' && reader.isFollowedBy('(') && AGGREGATES.has(name) ? (name as AggregateName) : null;
}

function parseAggregate(reader: TokenReader, name: AggregateName): Omit<Aggregate, 'as'> {
  reader.count(reader.take());
  reader.expect('(');
  const path = name === 'count' && reader.accept('*') ? null : parsePath(reader);
  reader.expect(')');
  return { kind: 'aggregate', name, path };
}

/** Returns the name of a member without `as`. */
function defaultName(operand: Operand): string {
  if (operand.kind === 'path') return pathText(operand.path);
  if (operand.kind === 'call') return `${defaultName(operand.of)}.${operand.method}()`;
  return operand.kind === 'distance' ? 'distance' : '';
}

const SNIPPET = 'snippet';

/** Parses `snippet(path)`; null if it does not begin here. */
function parseSnippet(reader: TokenReader): Omit<Snippet, 'as'> | null {
  const token = reader.peek();
  if (token.kind !== 'word' || token.text.toLowerCase() !== SNIPPET || !reader.isFollowedBy('(')) return null;
  reader.count(reader.take());
  reader.expect('(');
  const path = parsePath(reader);
  reader.expect(')');
  return { kind: SNIPPET, path };
}

const isConstant = (operand: Operand): boolean =>
  operand.kind === 'constant' || (operand.kind === 'call' && isConstant(operand.of));

function parseField(context: ParseContext): Omit<Field, 'as'> {
  const { reader } = context;
  const token = reader.peek();
  if (!isName(reader)) throw reader.unexpected('a name, an aggregate or distance(…)');
  const operand = parseOperand(context);
  if (isConstant(operand)) throw reader.unexpected('a name, an aggregate or distance(…)', token);
  return { kind: 'field', operand };
}

function initialName(column: Omit<Aggregate, 'as'> | Omit<Field, 'as'> | Omit<Snippet, 'as'>): string {
  if (column.kind === 'field') return defaultName(column.operand);
  return column.kind === 'aggregate' ? column.name : SNIPPET;
}

/** Parses `fields`. @throws `criteria.invalid` */
export function parseProjection(context: ParseContext): Projection {
  const { reader } = context;
  const names = new Set<string>();
  return parseRow(reader, () => {
    const token = reader.peek();
    const aggregate = aggregateName(reader);
    const column =
      aggregate === null ? (parseSnippet(reader) ?? parseField(context)) : parseAggregate(reader, aggregate);
    const as = reader.accept('as') ? parseName(reader) : initialName(column);
    if (names.has(as)) throw reader.unexpected('a name that no other field has (use "as")', token);
    names.add(as);
    return { ...column, as };
  });
}
