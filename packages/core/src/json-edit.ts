import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, endOfString, endOfValue, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts';
import { type JsonStep, openJson } from './json-tree.ts';

export { BEHIND_LAST, type JsonStep } from './json-tree.ts';

/** Returns the index after the value that ends at `end` and after the comma that follows it. */
const next = (text: string, end: number) => (text.charCodeAt(end) === COMMA ? end + 1 : end);

/** The start of the value of a member; null when there is none. Finds `__proto__` like any other name. */
function member(text: string, open: number, name: string): number | null {
  const wanted = JSON.stringify(name);
  let at = open + 1;
  while (text.charCodeAt(at) !== CLOSE_BRACE) {
    const colon = endOfString(text, at);
    if (colon - at === wanted.length && text.startsWith(wanted, at)) return colon + 1;
    at = next(text, endOfValue(text, colon + 1));
  }
  return null;
}

function element(text: string, open: number, index: number): number | null {
  let at = open + 1;
  for (let length = 0; text.charCodeAt(at) !== CLOSE_BRACKET; length++) {
    if (length === index) return at;
    at = next(text, endOfValue(text, at));
  }
  return null;
}

function into(text: string, start: number, step: JsonStep): number | null {
  const char = text.charCodeAt(start);
  if (typeof step === 'string') return char === OPEN_BRACE ? member(text, start, step) : null;
  return char === OPEN_BRACKET ? element(text, start, step) : null;
}

/**
 * The text of the value to which the steps lead; null when there is none. Reads each character at most once, whatever the
 * depth.
 *
 * @param text canonical JSON
 */
export function readJsonAt(text: string, steps: readonly JsonStep[]): string | null {
  let start = 0;
  for (const step of steps) {
    const found = into(text, start, step);
    if (found === null) return null;
    start = found;
  }
  return text.slice(start, endOfValue(text, start));
}

/** The text with a value set where the steps lead, as by `write` of a tree. @throws `field.unreachable` */
export function writeJsonAt(text: string, steps: readonly JsonStep[], value: string): string {
  const tree = openJson(text);
  tree.write(steps, value);
  return tree.text();
}

/** The text without the value to which the steps lead, as by `remove` of a tree; null when there is none. */
export function removeJsonAt(text: string, steps: readonly JsonStep[]): string | null {
  const tree = openJson(text);
  return tree.remove(steps) ? tree.text() : null;
}
