import { AppError } from './errors.ts';
import { nameIn } from './json-nodes.ts';
import { contentPointer } from './json-pointer.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  endsScalar,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-scan.ts';
import type { JsonStep } from './json-steps.ts';

const WHOLE = /^-?\d+$/;
/** Digits that every double preserves. */
const SAFE_DIGITS = 15;
/** Maximum number of characters of a refused number in a message. */
const MAX_SHOWN = 40;
const COLON = 0x3a;
const MINUS = 0x2d;
const NINE = 0x39;

/**
 * Returns true if a number keeps its meaning as a double: it is within the range, and a whole number keeps its digits
 * or is represented exactly. Decimals are rounded to the nearest double. JavaScript does not write all digits of large
 * doubles, so the text that it writes is accepted too.
 *
 * @param text a number as in JSON
 */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  return text.length <= SAFE_DIGITS || !WHOLE.test(text) || String(value) === text || BigInt(value) === BigInt(text);
}

/** Creates the failure for a number. @param input name or JSON Pointer of the input, if known */
export const inexact = (number: string, place: string, input?: string): AppError =>
  new AppError('json.number_inexact', {
    detail: `${number.slice(0, MAX_SHOWN)}${number.length > MAX_SHOWN ? '…' : ''}${place === '' ? '' : ` at ${place}`}`,
    ...(input !== undefined && { input }),
  });

function isName(text: string, end: number): boolean {
  let at = end;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === COLON;
}

/** Updates the steps to the current value for a character between values. */
function pass(steps: JsonStep[], char: number): void {
  const last = steps.at(-1);
  if (char === OPEN_BRACE) steps.push('');
  else if (char === OPEN_BRACKET) steps.push(0);
  else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) steps.pop();
  else if (char === COMMA && typeof last === 'number') steps[steps.length - 1] = last + 1;
}

/** Returns the steps to the value that begins at `place`. */
function stepsTo(text: string, place: number): JsonStep[] {
  const steps: JsonStep[] = [];
  for (let at = 0; at < place; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = endOfString(text, at);
      if (isName(text, end)) steps[steps.length - 1] = nameIn(text.slice(at, end));
      at = end - 1;
    } else pass(steps, char);
  }
  return steps;
}

/**
 * Returns the index after the number whose first digit is at `start`.
 *
 * @param text valid JSON
 * @param input name or JSON Pointer of the text; if absent, the pointer to the number
 * @throws `json.number_inexact` for a number that would come back changed
 */
export function endOfExactNumber(text: string, start: number, input?: string): number {
  let end = start;
  let isPlain = true;
  for (let char = text.charCodeAt(end); !endsScalar(char); char = text.charCodeAt(++end)) {
    if (char > NINE) isPlain = false; // an exponent
  }
  if (isPlain && end - start <= SAFE_DIGITS) return end;
  const begin = text.charCodeAt(start - 1) === MINUS ? start - 1 : start;
  const number = text.slice(begin, end);
  if (isExactNumber(number)) return end;
  const place = contentPointer(stepsTo(text, begin));
  throw inexact(number, place, input ?? place);
}
