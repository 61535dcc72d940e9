import type { InputProblem } from '@baobab/core';
import type { SchemaNode, SchemaNodes } from './nodes.ts';

/** Maximum schemas that may apply to one value, counting those behind references each time. */
const MAX_APPLIED = 10_000;

/** Keywords with a reference. Both mean the same here: a schema that is one resource has one dynamic scope. */
export const REFERENCES = ['$ref', '$dynamicRef'] as const;

/** Returns the pointer in a reference such as `#/$defs/name`, or null if it is malformed. */
function pointerIn(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

/** Returns the named schemas. */
export const anchorsOf = (all: readonly SchemaNode[]): ReadonlyMap<string, SchemaNode> =>
  new Map(
    all.flatMap((node) =>
      [node.schema.$anchor, node.schema.$dynamicAnchor].flatMap((name) =>
        typeof name === 'string' ? [[name, node] as const] : [],
      ),
    ),
  );

/** Resolves references, and returns their problems. */
export function resolveReferences({ all, root }: SchemaNodes) {
  const problems: InputProblem[] = [];
  const byPath = new Map(all.map((node) => [node.path, node]));
  const byAnchor = anchorsOf(all);
  const targets = new Map<SchemaNode, readonly SchemaNode[]>();

  function targetOf(reference: string): SchemaNode | undefined {
    if (reference === '#') return root;
    const pointer = pointerIn(reference.slice(1));
    if (pointer === null) return undefined;
    return pointer.startsWith('/') ? byPath.get(pointer) : byAnchor.get(pointer);
  }

  function resolve(node: SchemaNode, keyword: (typeof REFERENCES)[number]): void {
    const reference = node.schema[keyword];
    if (typeof reference !== 'string') return;
    const path = `${node.path}/${keyword}`;
    const target = targetOf(reference);
    if (!reference.startsWith('#')) {
      problems.push({ path, message: 'references must stay inside the schema: "#", "#/$defs/name" or "#anchor"' });
    } else if (target === undefined) problems.push({ path, message: `there is no schema at "${reference}"` });
    else targets.set(node, [...(targets.get(node) ?? []), target]);
  }
  for (const node of all) for (const keyword of REFERENCES) resolve(node, keyword);

  /** Number of schemas that apply to a value with the node; null while being counted. */
  const applied = new Map<SchemaNode, number | null>();

  function count(node: SchemaNode): number {
    const known = applied.get(node);
    if (known === null) {
      problems.push({ path: node.path, message: 'the schema refers to itself for the same value' });
      return 1;
    }
    if (known !== undefined) return known;
    applied.set(node, null);
    let sum = 1;
    for (const child of [...node.inPlace, ...(targets.get(node) ?? [])]) sum += count(child);
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
