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

/** Elements of an array. Only changed ones have nodes, because an array may have very many. */
interface JsonElements {
  readonly length: number;
  at(index: number): JsonNode | undefined;
  /** Replaces an element, or adds one if the index equals the length. */
  set(index: number, value: JsonNode): void;
  /** Adds an element at the end. */
  push(value: JsonNode): void;
  /** Adds elements at the end. @param texts JSON, separated by commas */
  append(texts: string): void;
  /** Removes an element. Those after it move up. */
  remove(index: number): void;
  /** Returns the texts of all elements, separated by commas. */
  text(): string;
}

/** A value: unread, or an object or array whose parts are nodes. The names of members are canonical JSON strings. */
export type JsonNode =
  | { readonly kind: 'unread'; readonly source: JsonSource; readonly start: number; readonly end: number }
  | { readonly kind: 'object'; readonly members: Map<string, JsonNode> }
  | { readonly kind: 'array'; readonly elements: JsonElements };

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

/** Calls `visit` with the start and the end of each element of the array that begins at `open`. */
function visitElements(source: JsonSource, open: number, visit: (start: number, end: number) => void): void {
  const { text } = source;
  for (let at = afterSpace(text, open + 1); text.charCodeAt(at) !== CLOSE_BRACKET; ) {
    const end = endOf(source, at);
    visit(at, end);
    at = afterItem(text, end);
  }
}

/** Returns the starts of the elements of the array that begins at `open`. */
function startsIn(source: JsonSource, open: number): number[] {
  const starts: number[] = [];
  visitElements(source, open, (start) => starts.push(start));
  return starts;
}

/** Calls `visit` with the start and the end of each element. @param list JSON text of an array, without spaces around it */
export const eachElement = (list: string, visit: (start: number, end: number) => void): void =>
  visitElements({ text: list, ends: null }, 0, visit);

/** @param open index of the opening bracket */
function createElements(origin: JsonSource, open: number): JsonElements {
  let source = origin;
  let start = open;
  /** Starts of the stored elements; null until one is needed. */
  let starts: number[] | null = null;
  /** By place among the stored elements. */
  const changed = new Map<number, JsonNode>();
  /** Places among the stored elements, ascending. */
  let removed: number[] = [];
  let added: JsonNode[] = [];

  function stored(): number[] {
    starts ??= startsIn(source, start);
    return starts;
  }
  const kept = () => stored().length - removed.length;

  /** Returns the place of an index among the stored elements. */
  function placeOf(index: number): number {
    let place = index;
    for (const one of removed) {
      if (one > place) break;
      place++;
    }
    return place;
  }

  /** Returns the text of the stored elements from one place to before another. */
  function run(from: number, to: number): string {
    const all = stored();
    return source.text.slice(all[from], endOf(source, all[to - 1] as number));
  }

  function storedTexts(): string[] {
    const isWhole = changed.size === 0 && removed.length === 0;
    if (isWhole && starts === null) {
      const inner = source.text.slice(start + 1, endOf(source, start) - 1).trim();
      return inner === '' ? [] : [inner];
    }
    const texts: string[] = [];
    let from = 0;
    const upTo = (place: number) => {
      if (from < place) texts.push(run(from, place));
      from = place + 1;
    };
    for (const place of [...changed.keys(), ...removed].sort((a, b) => a - b)) {
      upTo(place);
      const node = changed.get(place);
      if (node !== undefined) texts.push(textOf(node));
    }
    upTo(stored().length);
    return texts;
  }

  const text = () => [...storedTexts(), ...added.map(textOf)].join(',');

  return {
    get length() {
      return kept() + added.length;
    },
    at(index) {
      if (index < 0) return undefined;
      if (index >= kept()) return added[index - kept()];
      const place = placeOf(index);
      return changed.get(place) ?? unread(source, stored()[place] as number);
    },
    set(index, value) {
      if (index >= kept()) added[index - kept()] = value;
      else changed.set(placeOf(index), value);
    },
    push(value) {
      added.push(value);
    },
    append(texts) {
      const before = text();
      source = { text: before === '' ? `[${texts}]` : `[${before},${texts}]`, ends: null };
      start = 0;
      starts = null;
      changed.clear();
      removed = [];
      added = [];
    },
    remove(index) {
      if (index >= kept()) {
        added.splice(index - kept(), 1);
        return;
      }
      const place = placeOf(index);
      changed.delete(place);
      removed = [...removed, place].sort((a, b) => a - b);
    },
    text,
  };
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
  return char === OPEN_BRACKET ? { kind: 'array', elements: createElements(source, start) } : node;
}

/** Returns the text of a value. Values that were not opened have the text of their source. */
export function textOf(node: JsonNode): string {
  if (node.kind === 'unread') return node.source.text.slice(node.start, node.end);
  if (node.kind === 'array') return `[${node.elements.text()}]`;
  return `{${Array.from(node.members, ([name, value]) => `${name}:${textOf(value)}`).join(',')}}`;
}
