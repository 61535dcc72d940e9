import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, endOfString, endOfValue, isSpace } from './json-scan.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from './json-text.ts';

const afterSpace = (text: string, at: number) => {
  let i = at;
  while (isSpace(text.charCodeAt(i))) i++;
  return i;
};

/** Calls `item` with the start of each item of the list that opens at `open`. `item` returns the end of the item. */
function eachItem(text: string, open: number, close: number, item: (start: number) => number): void {
  let at = afterSpace(text, open + 1);
  while (text.charCodeAt(at) !== close) {
    at = afterSpace(text, item(at));
    if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
  }
}

/**
 * Returns the elements of a JSON array, each with its source text and its value; null if it is not an array.
 *
 * @param json a result of `parseJson`, or a part of one
 */
export function elementsOf({ text, value }: ParsedJson): ParsedJson[] | null {
  if (!Array.isArray(value)) return null;
  const elements: ParsedJson[] = [];
  eachItem(text, afterSpace(text, 0), CLOSE_BRACKET, (start) => {
    const end = endOfValue(text, start);
    elements.push({ text: text.slice(start, end), value: value[elements.length] as JsonValue });
    return end;
  });
  return elements;
}

/**
 * Returns the members of a JSON object, each with its source text and its value; null if it is not an object. Of
 * several members with the same name the last one counts.
 *
 * @param json a result of `parseJson`, or a part of one
 */
export function membersOf({ text, value }: ParsedJson): Map<string, ParsedJson> | null {
  if (!isJsonObject(value)) return null;
  const members = new Map<string, ParsedJson>();
  eachItem(text, afterSpace(text, 0), CLOSE_BRACE, (start) => {
    const nameEnd = endOfString(text, start);
    const name: string = JSON.parse(text.slice(start, nameEnd));
    const valueStart = afterSpace(text, afterSpace(text, nameEnd) + 1);
    const end = endOfValue(text, valueStart);
    members.set(name, { text: text.slice(valueStart, end), value: value[name] as JsonValue });
    return end;
  });
  return members;
}
