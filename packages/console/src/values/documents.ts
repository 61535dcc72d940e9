import type { JsonObject } from './json.ts';

/** Members managed by the server, which are not content. */
const OWNED: ReadonlySet<string> = new Set([
  'id',
  '_creation_date',
  '_update_date',
  '_author',
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
