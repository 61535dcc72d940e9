import { type Comparison, compareCodePoints, wireDate } from '@baobab/core';
import { FALSE, type Params, TRUE } from './dialect.ts';

/** One millisecond after the end of the year 9999. */
const END = 253_402_300_800_000;

/**
 * Returns the first millisecond whose text is not before `text`, or with `behind`, is after it. The order of texts is
 * that of times.
 */
function firstFrom(text: string, behind: boolean): number {
  let [low, high] = [0, END];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const difference = compareCodePoints(wireDate(middle), text);
    if (behind ? difference > 0 : difference >= 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Compares a time in milliseconds with a text, as if the time were written in the API's format. */
export function compareTime(column: string, operator: Comparison, text: string, params: Params): string {
  const [from, behind] = [firstFrom(text, false), firstFrom(text, true)];
  switch (operator) {
    case '<':
      return `${column} < ${params.add(from)}`;
    case '<=':
      return `${column} < ${params.add(behind)}`;
    case '>':
      return `${column} >= ${params.add(behind)}`;
    case '>=':
      return `${column} >= ${params.add(from)}`;
    case '=':
      return from === behind ? FALSE : `${column} = ${params.add(from)}`;
    case '<>':
      return from === behind ? TRUE : `${column} <> ${params.add(from)}`;
  }
}

/** Returns the time in milliseconds that a text denotes, or the first one after it for any other text. */
export const timeFrom = (text: string) => firstFrom(text, false);
