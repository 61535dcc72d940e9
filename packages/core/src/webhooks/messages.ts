import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { WebhookDelivery } from '../ports/storage/webhooks.ts';

/** The JSON text of a document as clients see it. */
export type RenderDocument = (document: DocumentRecord) => string;

/** What a message says. Every attempt of one delivery says the same, unless the document has changed in between. */
export type Told =
  | { readonly type: 'put'; readonly document: DocumentRecord }
  | { readonly type: 'gone'; readonly collection: string; readonly id: string }
  | { readonly type: 'test' };

function dataOf(told: Told, render: RenderDocument): string {
  if (told.type === 'test') return '{}';
  if (told.type === 'gone') return JSON.stringify(told);
  const { collection, id, version } = told.document;
  const change = JSON.stringify({ type: told.type, collection, id, version });
  return `${change.slice(0, -1)},"document":${render(told.document)}}`;
}

/** The body of a request. @param now when the document was read, milliseconds */
export function messageBody(told: Told, now: number, render: RenderDocument): string {
  const type = told.type === 'test' ? 'test' : `document.${told.type}`;
  return `{"type":"${type}","timestamp":"${new Date(now).toISOString()}","data":${dataOf(told, render)}}`;
}

/**
 * The `webhook-id`. Another one for each revision: a receiver that skips ids which it has processed must not skip a newer
 * state of the document.
 */
export function messageId({ id, revision }: Pick<WebhookDelivery, 'id' | 'revision'>): string {
  return revision === 0 ? `msg_${id}` : `msg_${id}_${revision}`;
}
