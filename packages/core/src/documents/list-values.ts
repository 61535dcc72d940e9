import { sortedJson } from '../json-identity.ts';
import { eachElement } from '../json-nodes.ts';
import { CLOSE_BRACE, COMMA, OPEN_BRACE } from '../json-scan.ts';

/** Returns the same text for equal values, as long as the canonical one. @param text canonical JSON */
const identity = (text: string) => (text.includes('{') && !text.startsWith('"') ? sortedJson(JSON.parse(text)) : text);

/**
 * Returns the same number for equal values, at a fraction of the cost of an identity: a sum over pairs of neighboring
 * characters, in which all characters around the members of objects are the same.
 */
function hashOf(list: string, start: number, end: number): number {
  let hash = 0;
  let before = 0;
  for (let at = start; at < end; at++) {
    const char = list.charCodeAt(at);
    const here = char === OPEN_BRACE || char === CLOSE_BRACE ? COMMA : char;
    const pair = Math.imul(before * 65_537 + here, 0x9e3779b1);
    hash = (hash + Math.imul(pair ^ (pair >>> 15), 0x85ebca6b)) | 0;
    before = here;
  }
  return hash;
}

/** Values of a patch that are looked up in lists. */
export interface ListValues {
  /** Returns the values that the list does not contain, each once, separated by commas. */
  missingIn(list: string): string;
  /** Returns the list without these values; null if it contains none of them. */
  removedFrom(list: string): string | null;
}

/**
 * Indexes values. A list is then read once, and only its elements with the length and the hash of one of the values are
 * compared, because most lists are longer than the values.
 *
 * @param values canonical JSON of an array, as are the lists
 */
export function createListValues(values: string): ListValues {
  const texts = new Map<string, string>();
  const lengths = new Set<number>();
  const hashes = new Set<number>();
  eachElement(values, (start, end) => {
    const text = values.slice(start, end);
    const key = identity(text);
    if (texts.has(key)) return;
    texts.set(key, text);
    lengths.add(end - start);
    hashes.add(hashOf(values, start, end));
  });

  /** Returns the identity of an element that is one of the values; null otherwise. */
  function known(list: string, start: number, end: number): string | null {
    if (!lengths.has(end - start) || !hashes.has(hashOf(list, start, end))) return null;
    const key = identity(list.slice(start, end));
    return texts.has(key) ? key : null;
  }

  return {
    missingIn(list) {
      const missing = new Map(texts);
      eachElement(list, (start, end) => {
        const key = known(list, start, end);
        if (key !== null) missing.delete(key);
      });
      return Array.from(missing.values()).join(',');
    },

    removedFrom(list) {
      const kept: string[] = [];
      let isChanged = false;
      let from = -1;
      let to = -1;
      const endRun = () => {
        if (from !== -1) kept.push(list.slice(from, to));
        from = -1;
      };
      eachElement(list, (start, end) => {
        if (known(list, start, end) === null) {
          if (from === -1) from = start;
          to = end;
        } else {
          isChanged = true;
          endRun();
        }
      });
      endRun();
      return isChanged ? `[${kept.join(',')}]` : null;
    },
  };
}
