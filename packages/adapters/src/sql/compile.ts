import type { SqlValue } from './executor.ts';
import { addsToFeed } from './feed-position.ts';

/** A statement in a driver's form: its parameters are numbered without gaps, in order of first use. */
export interface Compiled {
  readonly text: string;
  /** True if it adds to the change feed. */
  readonly addsToFeed: boolean;
  bind(params: readonly SqlValue[]): SqlValue[];
}

/** Cache of compiled statements: a map, or a bounded cache. */
export interface CompiledTexts {
  get(sql: string): Compiled | undefined;
  set(sql: string, compiled: Compiled): void;
}

/** Creates a cached compiler from the shared form (`?1`, `?2`, … in any order, repeated or left out) to a driver's. */
export function createCompiler(
  style: 'anonymous' | 'dollar',
  compiled: CompiledTexts = new Map<string, Compiled>(),
): (sql: string) => Compiled {
  function compile(sql: string): Compiled {
    const order: number[] = [];
    const places = new Map<number, number>();
    const text = sql.replace(/\?(\d+)/g, (_match, digits: string) => {
      const index = Number(digits) - 1;
      if (style === 'anonymous') {
        order.push(index);
        return '?';
      }
      const place = places.get(index) ?? order.push(index);
      places.set(index, place);
      return `$${place}`;
    });
    // A plain loop, since it runs for every statement.
    function bind(params: readonly SqlValue[]): SqlValue[] {
      const values: SqlValue[] = [];
      for (const index of order) values.push(params[index] ?? null);
      return values;
    }
    return { text, bind, addsToFeed: addsToFeed(sql) };
  }

  return (sql) => {
    let result = compiled.get(sql);
    if (result === undefined) {
      result = compile(sql);
      compiled.set(sql, result);
    }
    return result;
  };
}
