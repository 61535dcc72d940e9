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

/** Describes a place in a text: its position in characters, counted from 1. */
export const placeIn = (part: ParsedText, text: string, at: number): string =>
  `${part}, character ${lengthInCodePoints(text.slice(0, at)) + 1}`;

/** Returns an error with its position. */
export function queryError(part: ParsedText, text: string, { at, expected, found }: Problem): AppError {
  return new AppError('criteria.invalid', {
    detail: `${placeIn(part, text, at)}: expected ${expected}, found ${found}`,
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
