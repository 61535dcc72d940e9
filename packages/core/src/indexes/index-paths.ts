import { isPlain, pathIn } from '../criteria/indexed-path.ts';
import { documentColumn } from '../criteria/names.ts';
import { indexedPathText, parseIndexedPath } from '../criteria/operands.ts';
import { assetColumn, fileColumn, type StoredColumn } from '../criteria/stored-names.ts';
import type { IndexedPath, Path, PathStep } from '../criteria/syntax.ts';
import { AppError } from '../errors.ts';
import type { IndexedList, IndexedSet } from '../ports/storage/indexes.ts';
import { SECTIONS } from '../section-names.ts';

/**
 * Maximum number of fields per index, because index entries, which include prefixes of long texts, have a limited size.
 */
const MAX_FIELDS = 2;
const MAX_STEPS = 8;
const MAX_ELEMENT = 2 ** 31 - 1;
/** Field that may be the last one of an index on documents. Rows with equal values are sorted by it anyway. */
const CREATION = '_creation_date';
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const invalid = (detail: string) => new AppError('index.path_invalid', { detail });

const isStep = (step: PathStep) => (typeof step === 'number' ? step <= MAX_ELEMENT : NAME.test(step));

/** Returns true if every step of a path may be part of an index. */
export const hasPlainSteps = (path: Path) => path.length <= MAX_STEPS && path.every(isStep);

const SECTION_NAMES: readonly string[] = SECTIONS;

function canIndexUsers([first, second, ...steps]: Path): boolean {
  if (SECTION_NAMES.includes(first)) return second !== undefined;
  return first === 'user' && steps.length === 0 && (second === 'name' || second === 'status');
}

/** Columns of files and assets whose values are in the row itself, besides the id. */
const OWN_COLUMNS: readonly (StoredColumn | null)[] = ['name', 'fileName', 'contentType', 'size'];

function canIndexStored(column: StoredColumn | null, { length }: Path): boolean {
  return column === 'data' ? length > 1 : length === 1 && OWN_COLUMNS.includes(column);
}

const LISTS: Readonly<Record<IndexedList, { can(path: Path): boolean; readonly fields: string }>> = {
  users: { can: canIndexUsers, fields: 'user.name, user.status and the members of the four sections' },
  files: {
    can: (path) => canIndexStored(fileColumn(path[0]), path),
    fields: 'fileName, contentType, contentLength and the members of attachedData',
  },
  assets: {
    can: (path) => canIndexStored(assetColumn(path[0]), path),
    fields: 'name, fileName, contentType, contentLength and the members of meta',
  },
};

/** Returns true if users, files or assets can have an index on a path. Other values are computed or in other rows. */
export const canIndex = (list: IndexedList, path: Path) => hasPlainSteps(path) && LISTS[list].can(path);

function parseIndexPath(text: string, of: IndexedSet, endsList: boolean): IndexedPath {
  const indexed = parseIndexedPath(text);
  const path = pathIn(indexed);
  if (!hasPlainSteps(path)) {
    throw invalid(`use at most ${MAX_STEPS} steps, with names of at most 64 ASCII letters, digits, "_" or "-"`);
  }
  if ('list' in of) {
    if (!isPlain(indexed)) throw invalid('only documents can have an index on a text in lower case');
    if (canIndex(of.list, path)) return path;
    throw invalid(`in ${of.list} these can be indexed: ${LISTS[of.list].fields}`);
  }
  if (endsList && isPlain(indexed) && path.length === 1 && path[0] === CREATION) return path;
  if (documentColumn(path[0]) !== null) {
    throw invalid(`"${path[0]}" is not a field of the content; only ${CREATION} may end a list of fields`);
  }
  return indexed;
}

function parseList(text: string): readonly string[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    list = null;
  }
  if (!Array.isArray(list) || !list.every((field) => typeof field === 'string')) {
    throw invalid('a list of fields is a JSON array of paths, such as ["category","price"]');
  }
  return list;
}

/** Parses a path, or a JSON array of paths. @throws `criteria.invalid`, `index.path_invalid` */
export function parseIndexPaths(text: string, of: IndexedSet): readonly IndexedPath[] {
  if (!text.trimStart().startsWith('[')) return [parseIndexPath(text, of, false)];
  const list = parseList(text);
  const paths = list.map((field, at) => parseIndexPath(field, of, at > 0 && at === list.length - 1));
  const count = paths.filter((path) => pathIn(path)[0] !== CREATION).length;
  if (count === 0 || count > MAX_FIELDS) throw invalid(`an index has one or ${MAX_FIELDS} fields`);
  if (new Set(paths.map(indexedPathText)).size < paths.length) throw invalid('each field may occur once');
  return paths;
}
