import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, endOfString, endOfValue, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts';
import { type JsonStep, openJson } from './json-tree.ts';

export { BEHIND_LAST, type JsonStep } from './json-tree.ts';

/** Returns the index after the value that ends at `end` and after the comma that follows it. */
const next = (text: string, end: number) => (text.charCodeAt(end) === COMMA ? end + 1 : end);

/** Returns the start of the value of a member; null if there is none. Finds `__proto__` like any other name. */
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
 * Returns the text of the value at the steps; null if there is none. Reads each character at most once, at any depth.
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

/** Returns the text with a value set at the steps, as by `write` of a tree. @throws `field.unreachable` */
export function writeJsonAt(text: string, steps: readonly JsonStep[], value: string): string {
  const tree = openJson(text);
  tree.write(steps, value);
  return tree.text();
}

/** Returns the text without the value at the steps, as by `remove` of a tree; null if there is none. */
export function removeJsonAt(text: string, steps: readonly JsonStep[]): string | null {
  const tree = openJson(text);
  return tree.remove(steps) ? tree.text() : null;
}
