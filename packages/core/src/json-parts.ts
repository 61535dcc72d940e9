import { type JsonNode, nameIn, nodeOf, opened, textOf } from './json-nodes.ts';
import type { JsonObject, JsonValue, ParsedJson } from './json-text.ts';

/**
 * Returns the elements of a JSON array, each with its source text and its value; null if it is not an array.
 *
 * @param json a result of `parseJson`, or a part of one
 */
export function elementsOf({ text, value }: ParsedJson): ParsedJson[] | null {
  const node = opened(nodeOf(text));
  if (node.kind !== 'array') return null;
  const { elements } = node;
  return (value as JsonValue[]).map((element, at) => ({ text: textOf(elements.at(at) as JsonNode), value: element }));
}

/**
 * Returns the members of a JSON object, each with its source text and its value; null if it is not an object. Of
 * several members with the same name the last one counts.
 *
 * @param json a result of `parseJson`, or a part of one
 */
export function membersOf({ text, value }: ParsedJson): Map<string, ParsedJson> | null {
  const node = opened(nodeOf(text));
  if (node.kind !== 'object') return null;
  const members = new Map<string, ParsedJson>();
  for (const [key, member] of node.members) {
    const name = nameIn(key);
    members.set(name, { text: textOf(member), value: (value as JsonObject)[name] as JsonValue });
  }
  return members;
}
