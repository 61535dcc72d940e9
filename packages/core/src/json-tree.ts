import { AppError } from './errors.ts';
import { BEHIND_LAST, type JsonStep, shown } from './json-edit.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  endOfValue,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-scan.ts';

/** Canonical JSON, with the end of each object and array by its start. */
interface Source {
  readonly text: string;
  readonly ends: Int32Array;
}

/** A value: unread, or an object or array whose parts are nodes. The names of members are JSON strings. */
type Node =
  | { readonly kind: 'unread'; readonly source: Source; readonly start: number; readonly end: number }
  | { readonly kind: 'object'; readonly members: Map<string, Node> }
  | { readonly kind: 'array'; readonly elements: Node[] };

const isOpening = (char: number) => char === OPEN_BRACE || char === OPEN_BRACKET;

/** Indexes the text. Reads each character once, at any depth. */
function sourceOf(text: string): Source {
  const ends = new Int32Array(text.length);
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at) - 1;
    else if (isOpening(char)) open.push(at);
    else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) ends[open.pop() ?? 0] = at + 1;
  }
  return { text, ends };
}

const nodeOf = (text: string): Node => ({ kind: 'unread', source: sourceOf(text), start: 0, end: text.length });

/** Returns the value that begins at `start`. */
function unread(source: Source, start: number): Node & { readonly kind: 'unread' } {
  const end = source.ends[start] || endOfValue(source.text, start);
  return { kind: 'unread', source, start, end };
}

/** Returns the node with its parts, if it is an object or array. */
function opened(node: Node): Node {
  if (node.kind !== 'unread') return node;
  const { source, start } = node;
  const { text } = source;
  const after = (end: number) => (text.charCodeAt(end) === COMMA ? end + 1 : end);
  if (text.charCodeAt(start) === OPEN_BRACE) {
    const members = new Map<string, Node>();
    for (let at = start + 1; text.charCodeAt(at) !== CLOSE_BRACE; ) {
      const colon = endOfString(text, at);
      const value = unread(source, colon + 1);
      members.set(text.slice(at, colon), value);
      at = after(value.end);
    }
    return { kind: 'object', members };
  }
  if (text.charCodeAt(start) !== OPEN_BRACKET) return node;
  const elements: Node[] = [];
  for (let at = start + 1; text.charCodeAt(at) !== CLOSE_BRACKET; ) {
    const value = unread(source, at);
    elements.push(value);
    at = after(value.end);
  }
  return { kind: 'array', elements };
}

function textOf(node: Node): string {
  if (node.kind === 'unread') return node.source.text.slice(node.start, node.end);
  if (node.kind === 'array') return `[${node.elements.map(textOf).join(',')}]`;
  return `{${Array.from(node.members, ([name, value]) => `${name}:${textOf(value)}`).join(',')}}`;
}

const isNull = (node: Node) => node.kind === 'unread' && node.source.text.startsWith('null', node.start);

/** Returns the result of a merge patch (RFC 7396). Members retain their order, and new ones follow. */
function merged(target: Node | undefined, patch: Node): Node {
  const changes = opened(patch);
  if (changes.kind !== 'object') return patch;
  const before = target && opened(target);
  const members = before?.kind === 'object' ? before.members : new Map<string, Node>();
  for (const [name, change] of changes.members) {
    if (isNull(change)) members.delete(name);
    else members.set(name, merged(members.get(name), change));
  }
  return { kind: 'object', members };
}

const unreachable = (detail: string) => new AppError('field.unreachable', { detail });

/** Returns a part of an object or array; undefined if there is none. */
function partOf(node: Node, step: JsonStep): Node | undefined {
  if (node.kind === 'object') return typeof step === 'string' ? node.members.get(JSON.stringify(step)) : undefined;
  return node.kind === 'array' && typeof step === 'number' ? node.elements[step] : undefined;
}

function put(node: Node, step: JsonStep, value: Node): void {
  if (node.kind === 'object') node.members.set(JSON.stringify(step), value);
  else if (node.kind === 'array') node.elements[step === BEHIND_LAST ? node.elements.length : Number(step)] = value;
}

/** @throws `field.unreachable` if a node has no place for a step */
function requirePlace(node: Node, steps: readonly JsonStep[], at: number): void {
  const step = steps[at];
  const refuse = (problem: string) => unreachable(at === 0 ? problem : `at ${shown(steps.slice(0, at))} ${problem}`);
  if (typeof step === 'string') {
    if (node.kind !== 'object') throw refuse('the value is not an object');
  } else if (node.kind !== 'array') throw refuse('the value is not an array');
  else if (Number(step) > node.elements.length) {
    throw refuse(`index ${step} is beyond the length of the array, ${node.elements.length}`);
  }
}

export type JsonTree = ReturnType<typeof openJson>;

/**
 * Opens JSON for several changes. The text is read once and written once, regardless of their number and depth.
 *
 * @param content canonical JSON
 */
export function openJson(content: string) {
  let root = opened(nodeOf(content));

  /** Opens a part of a node; undefined if there is none. */
  function enter(node: Node, step: JsonStep): Node | undefined {
    const part = partOf(node, step);
    if (part === undefined) return undefined;
    const open = opened(part);
    if (open !== part) put(node, step, open);
    return open;
  }

  /** Returns the node at all steps but the last; undefined if there is none. */
  function parentOf(steps: readonly JsonStep[]): Node | undefined {
    let node: Node | undefined = root;
    for (const step of steps.slice(0, -1)) node = node && enter(node, step);
    return node;
  }

  /** Creates a list if its member is missing. */
  function createList(steps: readonly JsonStep[]): void {
    const [parent, name] = [parentOf(steps), steps.at(-1)];
    if (parent?.kind !== 'object' || typeof name !== 'string' || partOf(parent, name) !== undefined) return;
    put(parent, name, nodeOf('[]'));
  }

  /**
   * Sets a value at the steps. It replaces the existing one, or is added as the last member of an object, or as a new
   * element at the index that equals the length. `BEHIND_LAST` creates the list if its member is missing.
   *
   * @param steps at least one
   * @param value canonical JSON
   * @throws `field.unreachable` if a value on the path is missing or is not an object or array, or the index is too
   * large
   */
  function write(steps: readonly JsonStep[], value: string): void {
    const last = steps.length - 1;
    if (steps[last] === BEHIND_LAST) createList(steps.slice(0, -1));
    let node = root;
    for (const [at, step] of steps.entries()) {
      requirePlace(node, steps, at);
      if (at === last) put(node, step, nodeOf(value));
      else {
        const next = enter(node, step);
        if (next === undefined) throw unreachable(`there is no ${shown(steps.slice(0, at + 1))}`);
        node = next;
      }
    }
  }

  return {
    write,

    /** Returns the text of the value at the steps; null if there is none. */
    read(steps: readonly JsonStep[]): string | null {
      const [parent, step] = [parentOf(steps), steps.at(-1)];
      const part = parent && step !== undefined && partOf(parent, step);
      return part ? textOf(part) : null;
    },

    /**
     * Removes the member or element at the steps. Elements after it move up.
     *
     * @returns true if there was one
     */
    remove(steps: readonly JsonStep[]): boolean {
      const [parent, step] = [parentOf(steps), steps.at(-1)];
      if (parent === undefined || step === undefined || partOf(parent, step) === undefined) return false;
      if (parent.kind === 'object') parent.members.delete(JSON.stringify(step));
      else if (parent.kind === 'array') parent.elements.splice(Number(step), 1);
      return true;
    },

    /** Applies a merge patch (RFC 7396). @param patch canonical JSON */
    merge(patch: string): void {
      root = merged(root, nodeOf(patch));
    },

    text: () => textOf(root),
  };
}
