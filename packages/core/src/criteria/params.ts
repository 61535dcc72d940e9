import { AppError } from '../errors.ts';
import { isStorable } from '../utf8.ts';
import type { TokenReader } from './reader.ts';
import type { Token } from './tokens.ts';

/** Parameters of a query. Each `?` takes the next one. */
export interface Params {
  /** @throws `criteria.invalid` if none is left */
  take(reader: TokenReader, mark: Token): string;
  /** @throws `criteria.invalid` if some are left */
  finish(): void;
}

/** @throws `criteria.invalid` for texts that databases cannot store */
export function createParams(values: readonly string[]): Params {
  const broken = values.findIndex((value) => !isStorable(value));
  if (broken !== -1) {
    const detail = `params, number ${broken + 1}: expected Unicode text without U+0000, found something else`;
    throw new AppError('criteria.invalid', { detail, input: 'params' });
  }
  let taken = 0;
  return {
    take(reader, mark) {
      const value = values[taken++];
      if (value === undefined) throw reader.unexpected(`parameter number ${taken} in params`, mark);
      return value;
    },
    finish() {
      if (taken >= values.length) return;
      const detail = `params: expected one for each ? (${taken}), found ${values.length}`;
      throw new AppError('criteria.invalid', { detail, input: 'params' });
    },
  };
}
