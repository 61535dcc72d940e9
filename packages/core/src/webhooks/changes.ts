import { collectionKey } from '../collections/collections.ts';
import { createTest } from '../criteria/evaluate.ts';
import { documentResolver } from '../criteria/names.ts';
import { parseQuery } from '../criteria/query.ts';
import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { ChangeType, WebhookSettings } from '../ports/storage/webhooks.ts';

export type DocumentTest = (document: DocumentRecord) => boolean;

/**
 * Creates a test for a webhook's filter.
 *
 * @param now value of `sysdate()`, in milliseconds
 * @throws `criteria.invalid`
 */
export function documentTest(where: string | null, now: number): DocumentTest {
  const query = parseQuery({ where, orderBy: null, fields: null, groupBy: null, params: [] }, now);
  if (query.where === null) return () => true;
  const test = createTest(query.where);
  return (document) => test(documentResolver(document));
}

export const keysOf = ({ collections }: Pick<WebhookSettings, 'collections'>) => collections.map(collectionKey);

/**
 * Returns the type of a change for a webhook; null if it does not subscribe to it. A document that does not match the
 * filter is `gone`, unless its content has never changed.
 */
export function changeWanted(
  { types }: Pick<WebhookSettings, 'types'>,
  matches: DocumentTest,
  document: DocumentRecord | null,
): ChangeType | null {
  const isMatch = document !== null && matches(document);
  if (!isMatch && document?.version === 1) return null;
  const type = isMatch ? 'put' : 'gone';
  return types.includes(type) ? type : null;
}
