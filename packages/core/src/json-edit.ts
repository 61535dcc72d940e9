import { AppError } from './errors.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, endOfString, endOfValue, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts';

/** One step into a JSON value: the name of a property, or the index of an element. */
export type JsonStep = string | number;

/** As the last step: the place after the last element, whatever the length. */
export const BEHIND_LAST = -1;

/**
 * What the steps lead to: an existing value that begins at `start` (with its name, if it has one, at `from`), the place
 * for a new one, or nothing.
 */
type Place =
  | { readonly kind: 'value'; readonly start: number; readonly from: number }
  | { readonly kind: 'new'; readonly at: number; readonly isFirst: boolean }
  | { readonly kind: 'none'; readonly problem: string };

/** Returns the index after the value that ends at `end` and after the comma that follows it. */
const next = (text: string, end: number) => (text.charCodeAt(end) === COMMA ? end + 1 : end);

/** Searches the text instead of a JavaScript object, so `__proto__` is a name like any other. */
function member(text: string, open: number, name: string): Place {
  const wanted = JSON.stringify(name);
  let at = open + 1;
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const colon = endOfString(text, at);
    if (colon - at === wanted.length && text.startsWith(wanted, at))
      return { kind: 'value', start: colon + 1, from: at };
    at = next(text, endOfValue(text, colon + 1));
  }
  return { kind: 'new', at, isFirst: at === open + 1 };
}

function element(text: string, open: number, index: number): Place {
  let at = open + 1;
  let length = 0;
  for (; text.charCodeAt(at) !== CLOSE_BRACKET; length++) {
    if (length === index) return { kind: 'value', start: at, from: at };
    at = next(text, endOfValue(text, at));
  }
  if (index > length) return { kind: 'none', problem: `index ${index} is beyond the length of the array, ${length}` };
  return { kind: 'new', at, isFirst: length === 0 };
}

function into(text: string, start: number, step: JsonStep): Place {
  const char = text.charCodeAt(start);
  if (typeof step === 'string') {
    return char === OPEN_BRACE ? member(text, start, step) : { kind: 'none', problem: 'the value is not an object' };
  }
  return char === OPEN_BRACKET ? element(text, start, step) : { kind: 'none', problem: 'the value is not an array' };
}

/** Returns steps as they are in messages: `.author.roles[3]`. */
export const shown = (steps: readonly JsonStep[]) =>
  steps.map((step) => (typeof step === 'string' ? `.${step}` : `[${step === BEHIND_LAST ? '' : step}]`)).join('');

/** Follows the steps. Reads each character at most once, at any depth. */
function locate(text: string, steps: readonly JsonStep[]): Place {
  let place: Place = { kind: 'value', start: 0, from: 0 };
  for (const [at, step] of steps.entries()) {
    if (place.kind === 'new') return { kind: 'none', problem: `there is no ${shown(steps.slice(0, at))}` };
    if (place.kind === 'none') return place;
    place = into(text, place.start, step);
    if (place.kind === 'none' && at > 0) {
      place = { kind: 'none', problem: `at ${shown(steps.slice(0, at))} ${place.problem}` };
    }
  }
  return place;
}

/**
 * Returns the text of the value at the steps; null if there is none.
 *
 * @param text canonical JSON
 */
export function readJsonAt(text: string, steps: readonly JsonStep[]): string | null {
  const place = locate(text, steps);
  return place.kind === 'value' ? text.slice(place.start, endOfValue(text, place.start)) : null;
}

/** Returns the place at the steps and the text to write there: a whole list if its first element creates it. */
function placeToWrite(text: string, steps: readonly JsonStep[], value: string) {
  const list = steps.slice(0, -1);
  if (steps.at(-1) === BEHIND_LAST && typeof list.at(-1) === 'string') {
    const place = locate(text, list);
    if (place.kind === 'new') return { place, name: list.at(-1), value: `[${value}]` };
  }
  return { place: locate(text, steps), name: steps.at(-1), value };
}

/**
 * Sets a value where the steps lead: it replaces the existing one, or is added as the last member of an object, or as a
 * new element at the index that equals the length. `BEHIND_LAST` creates the list if its member is missing. Every other
 * character stays as it is.
 *
 * @param text canonical JSON
 * @param value canonical JSON
 * @throws `field.unreachable` when a value on the path is missing or is not an object or array, or the index is too large
 */
export function writeJsonAt(text: string, steps: readonly JsonStep[], value: string): string {
  const { place, ...write } = placeToWrite(text, steps, value);
  if (place.kind === 'none') throw new AppError('field.unreachable', { detail: place.problem });
  if (place.kind === 'value') {
    return text.slice(0, place.start) + value + text.slice(endOfValue(text, place.start));
  }
  const name = typeof write.name === 'string' ? `${JSON.stringify(write.name)}:` : '';
  const comma = place.isFirst ? '' : ',';
  return `${text.slice(0, place.at)}${comma}${name}${write.value}${text.slice(place.at)}`;
}

/**
 * Returns the text without the member or element at the steps; null if there is none. Elements behind it move up.
 * Every other character stays as it is.
 *
 * @param text canonical JSON
 * @param steps at least one
 */
export function removeJsonAt(text: string, steps: readonly JsonStep[]): string | null {
  const place = locate(text, steps);
  if (place.kind !== 'value') return null;
  const end = endOfValue(text, place.start);
  if (text.charCodeAt(end) === COMMA) return text.slice(0, place.from) + text.slice(end + 1);
  const isAfterAnother = text.charCodeAt(place.from - 1) === COMMA;
  return text.slice(0, isAfterAnother ? place.from - 1 : place.from) + text.slice(end);
}
