import type { JsonObject, JsonValue } from '../json-text.ts';
import { type JsonTree, openJson, readJsonAt } from '../json-tree.ts';
import type { SectionName } from '../section-names.ts';
import { shownAuthor, wireDate } from '../wire.ts';
import { plainPath, sortValueFor } from './order.ts';
import type { SearchedObject } from './search.ts';
import type { OrderKey, Path, SortValue } from './syntax.ts';
import { type Resolve, resolverOf, type Value, valueAt } from './values.ts';

/** Stored columns of a document, besides its content. */
export type DocumentColumn = 'id' | 'author' | 'updatedBy' | 'created' | 'updated' | 'version' | 'collection';

/** Server-owned names in a document. Every other name belongs to the content. Times are compared as texts. */
const DOCUMENT_COLUMNS: ReadonlyMap<string, DocumentColumn> = new Map([
  ['id', 'id'],
  ['@ID', 'id'],
  ['_author', 'author'],
  ['_updated_by', 'updatedBy'],
  ['_creation_date', 'created'],
  ['_update_date', 'updated'],
  ['@version', 'version'],
  ['@class', 'collection'],
]);

/** Returns the column of a name in a document; null for a name of the content. */
export const documentColumn = (name: string): DocumentColumn | null => DOCUMENT_COLUMNS.get(name) ?? null;

/** Returns true if a key is equivalent to the order of creation, which is the order of the ids. */
export function isCreation(key: OrderKey): boolean {
  const [first = '', ...steps] = plainPath(key) ?? [];
  const column = steps.length === 0 ? documentColumn(first) : null;
  return column === 'id' || column === 'created';
}

export interface KnownOfDocument {
  readonly id: string;
  /** As spelled for clients. */
  readonly author: string;
  readonly updatedBy: string | null;
  readonly collection: string;
  /** In milliseconds. */
  readonly created: number;
  readonly updated: number;
  readonly version: number;
  /** Canonical JSON of an object. */
  readonly content: string;
}

/** Returns the values in a document by name. The content is parsed when it is first needed. */
export function documentResolver(document: KnownOfDocument): Resolve {
  let content: Resolve | null = null;
  return (name) => {
    const column = documentColumn(name);
    if (column === null) {
      content ??= resolverOf(JSON.parse(document.content) as JsonObject);
      return content(name);
    }
    const value = document[column];
    if (column === 'author') return shownAuthor(document.author);
    return column === 'created' || column === 'updated' ? wireDate(value as number) : value;
  };
}

const jsonOf = (path: Path, resolve: Resolve) => JSON.stringify(valueAt(path, resolve)) ?? null;

/** Returns a document as the source of result rows. Its content is opened when it is first needed. */
export function documentSource(document: KnownOfDocument): SearchedObject {
  const resolve = documentResolver(document);
  let content: JsonTree | null = null;
  return {
    resolve,
    json(path) {
      if (documentColumn(path[0]) !== null) return jsonOf(path, resolve);
      content ??= openJson(document.content);
      return content.read(path);
    },
  };
}

interface KnownOfUser {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly status: string;
  /** Time of sign-up, in milliseconds. */
  readonly created: number;
  /** Canonical JSON of an object; null for a section that the viewer may not read. */
  readonly sections: Readonly<Record<SectionName, string | null>>;
}

/** Names of sections, with the alias of `visibleByFriend`. */
const SECTION_NAMES: ReadonlyMap<string, SectionName> = new Map([
  ['visibleByTheUser', 'visibleByTheUser'],
  ['visibleByFriend', 'visibleByFriend'],
  ['visibleByFriends', 'visibleByFriend'],
  ['visibleByRegisteredUsers', 'visibleByRegisteredUsers'],
  ['visibleByAnonymousUsers', 'visibleByAnonymousUsers'],
]);

/** Returns the section of a name in a user; null if it is not one. */
export const sectionOf = (name: string): SectionName | null => SECTION_NAMES.get(name) ?? null;

/** Returns the values in a user by name, as seen by the viewer. Sections that they may not read are absent. */
export function userResolver({ id, name, role, status, created, sections }: KnownOfUser): Resolve {
  const parsed = new Map<SectionName, JsonValue>();

  function section(wanted: SectionName): Value {
    if (!parsed.has(wanted)) parsed.set(wanted, JSON.parse(sections[wanted] ?? 'null'));
    return parsed.get(wanted);
  }

  return (wanted) => {
    if (wanted === 'id') return id;
    if (wanted === 'signUpDate') return wireDate(created);
    if (wanted === 'user') return { name, status, roles: [{ name: role }] };
    const known = sectionOf(wanted);
    return known === null ? undefined : section(known);
  };
}

/** Returns the column that sorts users: their ids, or the keys of their names. Null if it is neither. */
export function userSortColumn(key: OrderKey): 'id' | 'key' | null {
  const path = plainPath(key);
  if (path === null) return null;
  const [first, second] = path;
  if (path.length === 1 && (first === 'id' || first === 'signUpDate')) return 'id';
  return path.length === 2 && first === 'user' && second === 'name' ? 'key' : null;
}

/** Returns the sort values of a user. */
export function userSortValues(order: readonly OrderKey[], user: KnownOfUser & { readonly key: string }): SortValue[] {
  const resolve = userResolver(user);
  return order.map((key) => {
    const column = userSortColumn(key);
    return column === null ? sortValueFor(key, resolve) : user[column];
  });
}

/** Returns a user, as seen by the viewer, as the source of result rows. */
export function userSource(user: KnownOfUser): SearchedObject {
  const resolve = userResolver(user);
  return {
    resolve,
    json(path) {
      const [first, ...steps] = path;
      const name = sectionOf(first);
      const text = name === null ? null : user.sections[name];
      return text === null ? jsonOf(path, resolve) : readJsonAt(text, steps);
    },
  };
}
