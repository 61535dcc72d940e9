import { parseKeys } from '../criteria/clauses.ts';
import { parsePath, pathText } from '../criteria/operands.ts';
import { createReader, type TokenReader } from '../criteria/reader.ts';
import type { Path } from '../criteria/syntax.ts';
import type { Token } from '../criteria/tokens.ts';
import { isOwnedField } from './body.ts';

/** References to profiles: of the author, and of who wrote the current version. */
const PROFILES: ReadonlySet<unknown> = new Set(['_author', '_updated_by']);

/** Returns true if a path refers to a profile. */
export const isProfile = ([first, ...steps]: Path) => PROFILES.has(first) && steps.length === 0;

/** A field that refers to documents or to a profile. */
export interface Reference {
  /** Member of `_expanded` that contains the referenced items. */
  readonly name: string;
  readonly path: Path;
  /** References of the referenced documents: the second hop. */
  readonly inner: readonly Reference[];
}

interface RequestedPath {
  readonly path: Path;
  readonly token: Token;
}

const isSame = (a: Path, b: Path) => a.length === b.length && a.every((step, at) => step === b[at]);

/**
 * Returns the rest of `path` after `outer`, within the referenced document; null if `path` does not lead through
 * `outer`.
 */
function beyond(path: Path, outer: Path): Path | null {
  const [first, ...steps] = path.slice(outer.length);
  return typeof first === 'string' && outer.every((step, at) => step === path[at]) ? [first, ...steps] : null;
}

/** Returns the longest other path that leads to the document in which `path` continues. */
function outerOf({ path }: RequestedPath, all: readonly RequestedPath[]): RequestedPath | null {
  const through = all.filter((other) => beyond(path, other.path) !== null);
  return through.toSorted((a, b) => b.path.length - a.path.length)[0] ?? null;
}

/** @throws `criteria.invalid` for a path that leads into a server-owned field */
function refuseOwned(reader: TokenReader, path: Path, token: Token): void {
  if (!isOwnedField(path[0]) || isProfile(path)) return;
  throw reader.unexpected('a field of the content, or _author or _updated_by alone', token);
}

/**
 * Parses `expand`: paths separated by commas. A path that continues another one is the second hop: with `list`, the
 * path `list.owner` means the field `owner` of the documents in `list`.
 *
 * @throws `criteria.invalid`
 */
export function parseExpand(text: string): readonly Reference[] {
  const reader = createReader('expand', text);
  if (reader.peek().kind === 'end') return [];
  const all: RequestedPath[] = [];
  parseKeys(reader, () => {
    const token = reader.peek();
    const path = parsePath(reader);
    refuseOwned(reader, path, token);
    if (!all.some((other) => isSame(other.path, path))) all.push({ path, token });
  });

  const outers = new Map(all.map((asked) => [asked, outerOf(asked, all)]));

  /** Returns the references of the documents to which `outer` leads; null for those of the rows themselves. */
  function referencesBehind(outer: RequestedPath | null): Reference[] {
    const names = new Set<string>();
    return all.flatMap((asked) => {
      const path = pathBehind(asked, outer);
      if (path === null) return [];
      refuseOwned(reader, path, asked.token);
      const name = pathText(path);
      if (names.has(name)) throw reader.unexpected('a path with a name of its own', asked.token);
      names.add(name);
      return [{ name, path, inner: referencesBehind(asked) }];
    });
  }

  function pathBehind(asked: RequestedPath, outer: RequestedPath | null): Path | null {
    if (outers.get(asked) !== outer) return null;
    if (outer === null) return asked.path;
    if (outers.get(outer) !== null) throw reader.unexpected('paths of at most two hops', asked.token);
    return beyond(asked.path, outer.path);
  }

  return referencesBehind(null);
}
