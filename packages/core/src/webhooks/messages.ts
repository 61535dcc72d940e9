import type { DocumentRecord } from '../ports/storage/documents.ts';
import type { UserRecord } from '../ports/storage/users.ts';
import type { WebhookDelivery } from '../ports/storage/webhooks.ts';

/** Returns the JSON text of a document as shown to clients. */
export type RenderDocument = (document: DocumentRecord) => string;

/** Content of a message. Identical for every attempt of one delivery, unless the document has changed in between. */
export type Told =
  | { readonly type: 'put'; readonly document: DocumentRecord }
  | { readonly type: 'gone'; readonly collection: string; readonly id: string }
  | { readonly type: 'user'; readonly user: UserRecord }
  | { readonly type: 'test' };

function dataOf(told: Told, render: RenderDocument): string {
  if (told.type === 'test') return '{}';
  if (told.type === 'user') {
    const { id, name, sections, guest } = told.user;
    const shown = Object.entries(sections).map(([section, text]) => `${JSON.stringify(section)}:${text}`);
    return `${JSON.stringify({ id, username: name, guest }).slice(0, -1)},"profile":{${shown.join(',')}}}`;
  }
  if (told.type === 'gone') return JSON.stringify(told);
  const { collection, id, version } = told.document;
  const change = JSON.stringify({ type: told.type, collection, id, version });
  return `${change.slice(0, -1)},"document":${render(told.document)}}`;
}

const TYPES = { put: 'document.put', gone: 'document.gone', user: 'user.create', test: 'test' } as const;

/** Returns the body of a request. @param now time at which the document was read, in milliseconds */
export function messageBody(told: Told, now: number, render: RenderDocument): string {
  const type = TYPES[told.type];
  return `{"type":"${type}","timestamp":"${new Date(now).toISOString()}","data":${dataOf(told, render)}}`;
}

/**
 * Returns the `webhook-id`. It differs for each revision, because a receiver that skips processed ids must not skip a
 * newer state of the document.
 */
export function messageId({ id, revision }: Pick<WebhookDelivery, 'id' | 'revision'>): string {
  return revision === 0 ? `msg_${id}` : `msg_${id}_${revision}`;
}
