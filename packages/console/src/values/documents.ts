import { isDate } from './format.ts';
import type { JsonObject } from './json.ts';
import { ownOf } from './own.ts';

/** Members managed by the server, which are not content. */
const OWNED: ReadonlySet<string> = new Set([
  'id',
  '_creation_date',
  '_update_date',
  '_author',
  '_updated_by',
  '_expanded',
  '_allow',
  '_allowRead',
  '_allowUpdate',
  '_allowDelete',
]);

const isContent = (name: string) => !OWNED.has(name) && !name.startsWith('@');

/** Returns the content of a document. */
export const contentOf = (document: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(document).filter(([name]) => isContent(name)));

/** Returns the names of content members, most frequent first. */
export function columnsOf(documents: readonly JsonObject[]): string[] {
  const counts = new Map<string, number>();
  for (const document of documents)
    for (const name of Object.keys(contentOf(document))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Returns the values of a member in those documents that have it. */
const valuesOf = (documents: readonly JsonObject[], name: string) =>
  documents.map((document) => ownOf(document, name)).filter((value) => value !== undefined);

/** Returns true if the query language accepts a name without quotes. */
export const isSortable = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name);

export interface Order {
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

/** Parses an order such as `title desc`; null: none. */
export function parseOrder(text: string | undefined): Order | null {
  const [, by, direction] = /^(\w+) (asc|desc)$/.exec(text ?? '') ?? [];
  return by === undefined ? null : { by, direction: direction === 'desc' ? 'desc' : 'asc' };
}

/** Returns the order after a click on a column title: ascending, then descending, then the server's default. */
export function nextOrder(order: Order | null, by: string): string {
  if (order?.by !== by) return `${by} asc`;
  return order.direction === 'asc' ? `${by} desc` : '';
}

/** Names that usually say what a document is, best first. */
const TITLES = ['title', 'name', 'label', 'subject', 'username', 'email', 'slug', 'code'];
/** Number of content members shown initially. */
const SHOWN = 6;

/** Returns the member that identifies documents for people; null if there is none. */
export function titleOf(documents: readonly JsonObject[]): string | null {
  const names = columnsOf(documents);
  const isText = (name: string) => valuesOf(documents, name).every((value) => typeof value === 'string');
  const isNamed = (title: string) => names.find((name) => name.toLowerCase() === title);
  const named = TITLES.map(isNamed).find((name) => name !== undefined);
  return named ?? names.find(isText) ?? null;
}

/** Returns the columns of a table before the user has chosen others: the title first, the id last. */
export function defaultColumns(documents: readonly JsonObject[]): string[] {
  const title = titleOf(documents);
  const others = columnsOf(documents)
    .filter((name) => name !== title)
    .slice(0, title === null ? SHOWN : SHOWN - 1);
  return title === null
    ? ['id', ...others, '_author', '_update_date']
    : [title, ...others, '_author', '_update_date', 'id'];
}

const isShort = (value: unknown) => typeof value === 'boolean' || (typeof value === 'object' && value !== null);

/** Returns true if the values of a member need little space: Booleans, objects, lists and dates. */
export function isNarrowColumn(documents: readonly JsonObject[], name: string): boolean {
  const values = valuesOf(documents, name).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => isShort(value) || (typeof value === 'string' && isDate(value)));
}

/** Returns true if a member is a number wherever it has a value. */
export function isNumberColumn(documents: readonly JsonObject[], name: string): boolean {
  const values = valuesOf(documents, name).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}
