import { AppError, isAppError } from '../errors.ts';
import { contentPointer } from '../json-pointer.ts';
import { isJsonObject, type JsonValue, type ParsedJson } from '../json-text.ts';
import { type JsonTree, openJson } from '../json-tree.ts';
import { documentContent } from './body.ts';
import { type PlacedEdit, parseOperators } from './patch-operators.ts';

/** Kind of a patch. `merge`: RFC 7396; `operators`: such as `{"increment":{"likes":1}}`. */
export type PatchKind = 'merge' | 'operators';

/** A change of several places in a document. */
export interface Patch {
  /** Returns JSON Pointers to the places. */
  places(): readonly string[];
  /** @throws `field.type_invalid`, `field.unreachable` */
  apply(content: string): string;
}

const changing = (change: (content: JsonTree) => void) => (text: string) => {
  const content = openJson(text);
  change(content);
  return content.text();
};

/** Returns the places that a merge patch sets or removes. */
function leavesOf(value: JsonValue, pointer = ''): string[] {
  if (!isJsonObject(value)) return [pointer];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, pointer + contentPointer([name])));
}

function mergePatch(body: ParsedJson): Patch {
  if (!isJsonObject(body.value)) {
    throw new AppError('patch.invalid', { detail: 'a merge patch must be an object; PUT replaces the whole content' });
  }
  const patch = documentContent(body);
  return { places: () => leavesOf(JSON.parse(patch)), apply: changing((content) => content.merge(patch)) };
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
    apply: changing((content) => {
      for (const edit of edits) apply(content, edit);
    }),
  };
}

/** @throws `patch.invalid`, `field.path_invalid`, `field.owned`, `field.type_invalid`, `input.*` */
export const parsePatch = (kind: PatchKind, body: ParsedJson): Patch =>
  kind === 'merge' ? mergePatch(body) : operatorPatch(body);
