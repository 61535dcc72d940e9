import { type JsonStep, readJsonAt, removeJsonAt, writeJsonAt } from './json-edit.ts';
import { type JsonTree, openJson } from './json-tree.ts';

/** Number of steps that search the text. Later ones use a tree, which costs more to open and less to change. */
const SEARCHES = 4;

export type JsonDraft = ReturnType<typeof draftJson>;

/**
 * Prepares JSON for changes. Few of them cost what they cost on text, many of them what they cost on a tree.
 *
 * @param content canonical JSON
 */
export function draftJson(content: string) {
  let text = content;
  let tree: JsonTree | null = null;
  let searches = 0;

  /** Returns the tree; null while the text is searched. */
  function current(): JsonTree | null {
    if (tree === null && searches++ >= SEARCHES) tree = openJson(text);
    return tree;
  }

  return {
    /** Returns the text of the value at the steps; null if there is none. */
    read(steps: readonly JsonStep[]): string | null {
      const open = current();
      return open === null ? readJsonAt(text, steps) : open.read(steps);
    },
    /** Sets a value at the steps, as `writeJsonAt`. @throws `field.unreachable` */
    write(steps: readonly JsonStep[], value: string): void {
      const open = current();
      if (open === null) text = writeJsonAt(text, steps, value);
      else open.write(steps, value);
    },
    /** Removes the member or element at the steps, if there is one. */
    remove(steps: readonly JsonStep[]): void {
      const open = current();
      if (open === null) text = removeJsonAt(text, steps) ?? text;
      else open.remove(steps);
    },
    /** Applies a merge patch (RFC 7396). @param patch canonical JSON */
    merge(patch: string): void {
      tree ??= openJson(text);
      tree.merge(patch);
    },
    text: () => tree?.text() ?? text,
  };
}
