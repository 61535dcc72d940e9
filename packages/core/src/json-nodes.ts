import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfScalar,
  endOfString,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-scan.ts';

/** Valid JSON. */
interface JsonSource {
  readonly text: string;
  /** End of each nested object and array by its start; null until one is needed. */
  ends: Int32Array | null;
}

/** A value: unread, or an object or array whose parts are nodes. The names of members are canonical JSON strings. */
export type JsonNode =
  | { readonly kind: 'unread'; readonly source: JsonSource; readonly start: number; readonly end: number }
  | { readonly kind: 'object'; readonly members: Map<string, JsonNode> }
  | { readonly kind: 'array'; readonly elements: JsonNode[] };

const isOpening = (char: number) => char === OPEN_BRACE || char === OPEN_BRACKET;

/** Reads each character once, at any depth. */
function endsIn(text: string): Int32Array {
  const ends = new Int32Array(text.length);
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at) - 1;
    else if (isOpening(char)) open.push(at);
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) ends[open.pop() ?? 0] = at + 1;
  }
  return ends;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Returns the end of the value that begins at `start`. */
function endOf(source: JsonSource, start: number): number {
  const { text } = source;
  if (!isOpening(text.charCodeAt(start))) return endOfScalar(text, start);
  source.ends ??= endsIn(text);
  return source.ends[start] as number;
}

/** Returns the value that begins at `start`, or after the space there. */
function unread(source: JsonSource, start: number): JsonNode & { readonly kind: 'unread' } {
  const at = afterSpace(source.text, start);
  return { kind: 'unread', source, start: at, end: endOf(source, at) };
}

/** Returns the value in a text, which must be valid JSON. */
export function nodeOf(text: string): JsonNode {
  return { kind: 'unread', source: { text, ends: null }, start: afterSpace(text, 0), end: text.trimEnd().length };
}

/** Returns the start of the next item after the one that ends at `end`, or of the closing character. */
function afterItem(text: string, end: number): number {
  const at = afterSpace(text, end);
  return text.charCodeAt(at) === COMMA ? afterSpace(text, at + 1) : at;
}

/** Returns the name of a member. @param json as a JSON string */
export const nameIn = (json: string): string => (json.includes('\\') ? JSON.parse(json) : json.slice(1, -1));

function membersIn(source: JsonSource, open: number): Map<string, JsonNode> {
  const { text } = source;
  const members = new Map<string, JsonNode>();
  for (let at = afterSpace(text, open + 1); text.charCodeAt(at) !== CLOSE_BRACE; ) {
    const nameEnd = endOfString(text, at);
    const value = unread(source, afterSpace(text, nameEnd) + 1);
    const name = text.slice(at, nameEnd);
    members.set(name.includes('\\') ? JSON.stringify(nameIn(name)) : name, value);
    at = afterItem(text, value.end);
  }
  return members;
}

function elementsIn(source: JsonSource, open: number): JsonNode[] {
  const { text } = source;
  const elements: JsonNode[] = [];
  for (let at = afterSpace(text, open + 1); text.charCodeAt(at) !== CLOSE_BRACKET; ) {
    const value = unread(source, at);
    elements.push(value);
    at = afterItem(text, value.end);
  }
  return elements;
}

/**
 * Returns the node with its parts, if it is an object or array. Of several members with the same name the last one
 * counts, in the place of the first.
 */
export function opened(node: JsonNode): JsonNode {
  if (node.kind !== 'unread') return node;
  const { source, start } = node;
  const char = source.text.charCodeAt(start);
  if (char === OPEN_BRACE) return { kind: 'object', members: membersIn(source, start) };
  return char === OPEN_BRACKET ? { kind: 'array', elements: elementsIn(source, start) } : node;
}

/** Returns the text of a value. Values that were not opened have the text of their source. */
export function textOf(node: JsonNode): string {
  if (node.kind === 'unread') return node.source.text.slice(node.start, node.end);
  if (node.kind === 'array') return `[${node.elements.map(textOf).join(',')}]`;
  return `{${Array.from(node.members, ([name, value]) => `${name}:${textOf(value)}`).join(',')}}`;
}
