import { AppError } from '../errors.ts';
import { lengthInCodePoints } from './text.ts';

/** Parts of a query, named like their parameters. */
export type QueryPart = 'where' | 'orderBy' | 'fields' | 'groupBy';

/** The parsed text: a part of a query, a path alone, the `expand` list, or a rule at a JSON Pointer into the body. */
export type ParsedText = QueryPart | 'path' | 'expand' | `/${string}`;

/** An error at a position in a part of a query. */
export interface Problem {
  /** Index in UTF-16 units. */
  readonly at: number;
  readonly expected: string;
  /** Shown in the message unchanged, so it must be short. */
  readonly found: string;
}

/** Returns an error with the position in characters, counted from 1. */
export function queryError(part: ParsedText, text: string, { at, expected, found }: Problem): AppError {
  const position = lengthInCodePoints(text.slice(0, at)) + 1;
  return new AppError('criteria.invalid', {
    detail: `${part}, character ${position}: expected ${expected}, found ${found}`,
    ...(part === 'path' ? {} : { input: part }),
  });
}

const SHOWN_LENGTH = 20;

/** Returns an excerpt of a query for an error message: long enough to find, short enough for a log. */
export function shownPiece(text: string): string {
  const characters = Array.from(text.slice(0, 2 * SHOWN_LENGTH + 2));
  const isCut = characters.length > SHOWN_LENGTH;
  return JSON.stringify(characters.slice(0, SHOWN_LENGTH).join('') + (isCut ? '…' : ''));
}
