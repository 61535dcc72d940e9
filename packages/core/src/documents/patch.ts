import { AppError, isAppError } from '../errors.ts';
import { contentPointer } from '../json-pointer.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import { type JsonTree, openJson } from '../json-tree.ts';
import { byteLength } from '../utf8.ts';
import { documentContent, isOwnedField } from './body.ts';
import { type PlacedEdit, parseOperators, passesOf } from './patch-operators.ts';

/** Kind of a patch. `merge`: RFC 7396; `operators`: such as `{"increment":{"likes":1}}`. */
export type PatchKind = 'merge' | 'operators';

/** A change of several places in a document. */
export interface Patch {
  /** Returns JSON Pointers to the places. */
  places(): readonly string[];
  /** Returns the most bytes that it may add to a document. 0: it only removes. */
  growth(): number;
  /** Maximum number of times that it reads a document. */
  readonly passes: number;
  /** @throws `field.type_invalid`, `field.unreachable` */
  apply(content: string): string;
}

const changing = (change: (content: JsonTree) => void) => (text: string) => {
  const content = openJson(text);
  change(content);
  return content.text();
};

/** Adds the places that a merge patch sets or removes to `places`. */
function collectLeaves(value: JsonValue, pointer: string, places: string[]): string[] {
  if (!isJsonObject(value)) places.push(pointer);
  else
    for (const [name, member] of Object.entries(value)) collectLeaves(member, pointer + contentPointer([name]), places);
  return places;
}

/** Operators that never make a document larger. */
const SHRINKING: ReadonlySet<string> = new Set(['remove', 'removeFrom', '@version']);

/** Returns the size of the members of a patch that may make a document larger, in bytes. */
function sizeOf({ value }: ParsedJson, isGrowing: (name: string, member: JsonValue) => boolean): number {
  const growing = Object.entries(isJsonObject(value) ? value : {}).filter(([name, member]) => isGrowing(name, member));
  return growing.length === 0 ? 0 : byteLength(JSON.stringify(Object.fromEntries(growing)));
}

function mergePatch(body: ParsedJson): Patch {
  if (!isJsonObject(body.value)) {
    throw new AppError('patch.invalid', { detail: 'a merge patch must be an object; PUT replaces the whole content' });
  }
  const patch = documentContent(body);
  return {
    places: () => collectLeaves(JSON.parse(patch), '', []),
    growth: () => sizeOf(body, (name, member) => member !== null && !isOwnedField(name)),
    passes: 1,
    apply: changing((content) => content.merge(patch)),
  };
}

/** Applies an edit. If the document has no such place, the error names it. */
function apply(content: JsonTree, { steps, edit }: PlacedEdit): void {
  try {
    edit(content);
  } catch (error) {
    if (!isAppError(error) || error.code !== 'field.unreachable') throw error;
    const path = contentPointer(steps);
    const message = error.detail ?? error.message;
    throw new AppError(error.code, { detail: `${path}: ${message}`, problems: [{ path, message }] });
  }
}

function operatorPatch(body: ParsedJson): Patch {
  const edits = parseOperators(body);
  return {
    places: () => edits.map(({ steps }) => contentPointer(steps)),
    growth: () => sizeOf(body, (name) => !SHRINKING.has(name)),
    passes: passesOf(body),
    apply: changing((content) => {
      for (const edit of edits) apply(content, edit);
    }),
  };
}

/** @throws `patch.invalid`, `field.path_invalid`, `field.owned`, `field.type_invalid`, `input.*` */
export const parsePatch = (kind: PatchKind, body: ParsedJson): Patch =>
  kind === 'merge' ? mergePatch(body) : operatorPatch(body);
