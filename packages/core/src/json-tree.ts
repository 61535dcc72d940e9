import { AppError } from './errors.ts';
import { type JsonNode, nodeOf, opened, textOf } from './json-nodes.ts';
import { BEHIND_LAST, type JsonStep, shown } from './json-steps.ts';

const isNull = (node: JsonNode) => node.kind === 'unread' && node.source.text.startsWith('null', node.start);

/** Returns the result of a merge patch (RFC 7396). Members retain their order, and new ones follow. */
function merged(target: JsonNode | undefined, patch: JsonNode): JsonNode {
  const changes = opened(patch);
  if (changes.kind !== 'object') return patch;
  const before = target && opened(target);
  const members = before?.kind === 'object' ? before.members : new Map<string, JsonNode>();
  for (const [name, change] of changes.members) {
    if (isNull(change)) members.delete(name);
    else members.set(name, merged(members.get(name), change));
  }
  return { kind: 'object', members };
}

const unreachable = (detail: string) => new AppError('field.unreachable', { detail });

/** Returns a part of an object or array; undefined if there is none. */
function partOf(node: JsonNode, step: JsonStep): JsonNode | undefined {
  if (node.kind === 'object') return typeof step === 'string' ? node.members.get(JSON.stringify(step)) : undefined;
  return node.kind === 'array' && typeof step === 'number' ? node.elements.at(step) : undefined;
}

function put(node: JsonNode, step: JsonStep, value: JsonNode): void {
  if (node.kind === 'object') node.members.set(JSON.stringify(step), value);
  else if (node.kind === 'array') {
    if (step === BEHIND_LAST) node.elements.push(value);
    else node.elements.set(Number(step), value);
  }
}

/** @throws `field.unreachable` if a node has no place for a step */
function requirePlace(node: JsonNode, steps: readonly JsonStep[], at: number): void {
  const step = steps[at];
  const refuse = (problem: string) => unreachable(at === 0 ? problem : `at ${shown(steps.slice(0, at))} ${problem}`);
  if (typeof step === 'string') {
    if (node.kind !== 'object') throw refuse('the value is not an object');
  } else if (node.kind !== 'array') throw refuse('the value is not an array');
  else if (step !== BEHIND_LAST && Number(step) > node.elements.length) {
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
  function enter(node: JsonNode, step: JsonStep): JsonNode | undefined {
    const part = partOf(node, step);
    if (part === undefined) return undefined;
    const open = opened(part);
    if (open !== part) put(node, step, open);
    return open;
  }

  /** Returns the node at all steps but the last; undefined if there is none. */
  function parentOf(steps: readonly JsonStep[]): JsonNode | undefined {
    let node: JsonNode | undefined = root;
    for (const step of steps.slice(0, -1)) node = node && enter(node, step);
    return node;
  }

  /** Creates a list if its member is missing. */
  function createList(steps: readonly JsonStep[]): void {
    const [parent, name] = [parentOf(steps), steps.at(-1)];
    if (parent?.kind !== 'object' || typeof name !== 'string' || partOf(parent, name) !== undefined) return;
    put(parent, name, nodeOf('[]'));
  }

  /** Returns the node that has a place for the last step. @throws as `write` */
  function reach(steps: readonly JsonStep[]): JsonNode {
    if (steps.at(-1) === BEHIND_LAST) createList(steps.slice(0, -1));
    let node = root;
    for (const [at, step] of steps.entries()) {
      requirePlace(node, steps, at);
      if (at === steps.length - 1) break;
      const next = enter(node, step);
      if (next === undefined) throw unreachable(`there is no ${shown(steps.slice(0, at + 1))}`);
      node = next;
    }
    return node;
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
    put(reach(steps), steps.at(-1) as JsonStep, nodeOf(value));
  }

  return {
    write,

    /**
     * Adds elements at the end of a list, which is created if its member is missing.
     *
     * @param elements canonical JSON of at least one, separated by commas
     * @throws as `write` with `BEHIND_LAST`
     */
    append(steps: readonly JsonStep[], elements: string): void {
      const list = reach([...steps, BEHIND_LAST]);
      if (list.kind === 'array') list.elements.append(elements);
    },

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
      else if (parent.kind === 'array') parent.elements.remove(Number(step));
      return true;
    },

    /** Applies a merge patch (RFC 7396). @param patch canonical JSON */
    merge(patch: string): void {
      root = merged(root, nodeOf(patch));
    },

    text: () => textOf(root),
  };
}

/** Returns the text of the value at the steps; null if there is none. @param content canonical JSON */
export const readJsonAt = (content: string, steps: readonly JsonStep[]): string | null =>
  steps.length === 0 ? content : openJson(content).read(steps);

/** Returns the JSON with another value at the steps, as `JsonTree.write`. @throws as it does */
export function writeJsonAt(content: string, steps: readonly JsonStep[], value: string): string {
  const tree = openJson(content);
  tree.write(steps, value);
  return tree.text();
}
