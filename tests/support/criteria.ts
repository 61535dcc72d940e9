import { type Condition, type Constant, type Operand, type Path, parseQuery, type QueryText } from '@baobab/core';

/** Saturday, 10 October 2026, 10:20:30.405 UTC. */
export const NOW = Date.UTC(2026, 9, 10, 10, 20, 30, 405);

/** Parses a query with only these parts. */
export const query = (parts: Partial<QueryText>) =>
  parseQuery({ where: null, orderBy: null, fields: null, groupBy: null, params: [], ...parts }, NOW);

/** Returns the parsed filter of a `where`. @throws Error if it is empty */
export function condition(where: string, ...params: string[]): Condition {
  const { where: parsed } = query({ where, params });
  if (parsed === null) throw new Error(`"${where}" is empty`);
  return parsed;
}

export const constant = (value: Constant['value'], untyped = false): Constant => ({ kind: 'constant', value, untyped });
export const at = (...path: Path): Operand => ({ kind: 'path', path });
