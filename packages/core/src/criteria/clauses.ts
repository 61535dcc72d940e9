import { MAX_KEYS } from './limits.ts';
import { isName, type ParseContext, parseName, parseOperand, parsePath, pathText } from './operands.ts';
import type { Reader } from './reader.ts';
import type { Aggregate, AggregateName, Field, Operand, OrderKey, Path, Projection } from './syntax.ts';

/** Parses one or more items separated by commas, up to the end. */
function parseRow<T>(reader: Reader, parse: () => T): T[] {
  const row = [parse()];
  while (reader.accept(',')) row.push(parse());
  if (reader.peek().kind !== 'end') throw reader.unexpected('"," or the end');
  return row;
}

/** Parses names to sort by, to group by or to expand. */
export function parseKeys<T>(reader: Reader, parse: () => T): T[] {
  let count = 0;
  return parseRow(reader, () => {
    if (++count > MAX_KEYS) throw reader.unexpected(`at most ${MAX_KEYS} names`);
    return parse();
  });
}

/** Parses `orderBy`. @throws `criteria.invalid` */
export function parseOrder(reader: Reader): OrderKey[] {
  return parseKeys(reader, () => {
    const path = parsePath(reader);
    const descending = reader.accept('desc');
    if (!descending) reader.accept('asc');
    return { path, descending };
  });
}

/** Parses `groupBy`. @throws `criteria.invalid` */
export function parseGroups(reader: Reader): Path[] {
  return parseKeys(reader, () => parsePath(reader));
}

const AGGREGATES: ReadonlySet<string> = new Set<AggregateName>(['count', 'sum', 'avg', 'min', 'max']);

/** Returns the name of the aggregate that begins here; null if there is none. */
function aggregateName(reader: Reader): AggregateName | null {
  const token = reader.peek();
  const name = token.text.toLowerCase();
  return token.kind === 'word' && reader.isFollowedBy('(') && AGGREGATES.has(name) ? (name as AggregateName) : null;
}

function parseAggregate(reader: Reader, name: AggregateName): Omit<Aggregate, 'as'> {
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

/** Parses `fields`. @throws `criteria.invalid` */
export function parseProjection(context: ParseContext): Projection {
  const { reader } = context;
  const names = new Set<string>();
  return parseRow(reader, () => {
    const token = reader.peek();
    const aggregate = aggregateName(reader);
    const column = aggregate === null ? parseField(context) : parseAggregate(reader, aggregate);
    const initial = column.kind === 'field' ? defaultName(column.operand) : column.name;
    const as = reader.accept('as') ? parseName(reader) : initial;
    if (names.has(as)) throw reader.unexpected('a name that no other field has (use "as")', token);
    names.add(as);
    return { ...column, as };
  });
}
