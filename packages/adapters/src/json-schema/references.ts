import type { InputProblem } from '@baobab/core';
import type { SchemaNode, SchemaNodes } from './nodes.ts';

/** The most schemas that may apply to one value, with those behind references counted each time. */
const MAX_APPLIED = 10_000;

/** The pointer in a reference such as `#/$defs/name`; null when it is not well-formed. */
function pointerIn(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

/** What each `$ref` refers to, and what is wrong with the references. */
export function resolveReferences({ all, root }: SchemaNodes) {
  const problems: InputProblem[] = [];
  const byPath = new Map(all.map((node) => [node.path, node]));
  const byAnchor = new Map(
    all.flatMap((node) => (typeof node.schema.$anchor === 'string' ? [[node.schema.$anchor, node] as const] : [])),
  );
  const targets = new Map<SchemaNode, SchemaNode>();

  function targetOf(reference: string): SchemaNode | undefined {
    if (reference === '#') return root;
    const pointer = pointerIn(reference.slice(1));
    if (pointer === null) return undefined;
    return pointer.startsWith('/') ? byPath.get(pointer) : byAnchor.get(pointer);
  }

  for (const node of all) {
    const reference = node.schema.$ref;
    if (typeof reference !== 'string') continue;
    const path = `${node.path}/$ref`;
    if (!reference.startsWith('#')) {
      problems.push({ path, message: 'references must stay inside the schema: "#", "#/$defs/name" or "#anchor"' });
      continue;
    }
    const target = targetOf(reference);
    if (target === undefined) problems.push({ path, message: `there is no schema at "${reference}"` });
    else targets.set(node, target);
  }

  /** How many schemas apply to a value with the node; null while that is being counted. */
  const applied = new Map<SchemaNode, number | null>();

  function count(node: SchemaNode): number {
    const known = applied.get(node);
    if (known === null) {
      problems.push({ path: node.path, message: 'the schema refers to itself for the same value' });
      return 1;
    }
    if (known !== undefined) return known;
    applied.set(node, null);
    const target = targets.get(node);
    let sum = 1;
    for (const child of target === undefined ? node.inPlace : [...node.inPlace, target]) sum += count(child);
    applied.set(node, sum);
    return sum;
  }

  for (const node of all) {
    if (count(node) <= MAX_APPLIED) continue;
    problems.push({ path: node.path, message: `more than ${MAX_APPLIED} schemas would apply to one value` });
    break;
  }
  return { problems };
}
