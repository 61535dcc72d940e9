import { type Documents, type DocumentTransactions, isUuid, type WrittenDocument } from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { sendJson } from '../envelope.ts';
import { keyedRequest, sendKeyed } from '../idempotency.ts';
import { documentJson } from '../render/document.ts';

/** Dependencies of routes that change documents. */
export interface DocumentChangeOptions {
  readonly documents: Documents;
  readonly transact: DocumentTransactions;
}

/** Returns the documents that a change locks. @param id null for a new document */
export const changedBy = (id: string | null) => (id !== null && isUuid(id) ? [id.toLowerCase()] : []);

type Change = (on: Documents) => Promise<WrittenDocument>;

/**
 * Creates the function that makes a change and sends the changed document. With an idempotency key, it uses a
 * transaction.
 */
export function createChangeSender({ documents, transact }: DocumentChangeOptions) {
  return async (reply: FastifyReply, id: string | null, change: Change): Promise<FastifyReply> => {
    const { request } = reply;
    const keyed = keyedRequest(request);
    if (keyed === null) return sendJson(reply, documentJson(await change(documents)));
    const work = async (on: Documents) => ({ data: documentJson(await change(on)), hasChanged: true });
    return sendKeyed(reply, await transact(request.actor, { changes: changedBy(id), keyed, work }));
  };
}
