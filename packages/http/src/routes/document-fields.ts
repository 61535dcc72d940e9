import type { Documents } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import { sendJson } from '../envelope.ts';
import { documentJson } from '../render/document.ts';
import { Envelope, failures } from '../schemas/common.ts';
import { Document, FieldBody, FieldParams, FieldValue } from '../schemas/documents.ts';
import { ON_DOCUMENT, ON_JSON, ON_VERSION } from '../schemas/failing.ts';
import { sentAfter } from '../sent-after.ts';
import type { Routes } from './plugin.ts';

/** After the document come one or more segments that begin with a dot. */
const FIELD = '/document/:collection/:id/.*';
/** How many segments precede the field in a path split at its slashes: an empty one, `document`, collection, id. */
const PARTS_BEFORE = 4;

const schema = (operationId: string, summary: string) => ({
  operationId,
  summary,
  tags: ['documents'],
  params: FieldParams,
});

/**
 * The segments of the path after the document, decoded one by one. The router decodes its own parameter as a whole,
 * which would turn an escaped slash in a name into a separator.
 */
function fieldParts({ url }: FastifyRequest): string[] {
  const [path = ''] = url.split(/[?#]/, 1);
  const parts = path.replace(/\/$/, '').split('/').slice(PARTS_BEFORE);
  return parts.map(decodeURIComponent);
}

export const documentFieldRoutes: Routes<{ documents: Documents }> = async (app, { documents }) => {
  app.get(
    FIELD,
    {
      schema: {
        ...schema('readDocumentField', 'One field of a document'),
        response: { 200: Envelope(FieldValue), ...failures },
      },
      config: { fails: [...ON_DOCUMENT, 'field.not_found', 'field.owned', 'field.path_invalid'], access: 'anybody' },
    },
    async (request, reply) => {
      const { collection, id } = request.params;
      const value = await documents.readField(request.actor, { collection, id, parts: fieldParts(request) });
      return sendJson(reply, `{"result":${value}}`);
    },
  );

  app.put(
    FIELD,
    {
      schema: {
        ...schema('setDocumentField', 'Set one field of a document'),
        body: Type.Unknown(),
        response: { 200: Envelope(Document), ...failures },
      },
      config: {
        fails: [
          ...ON_DOCUMENT,
          'document.busy',
          'document.too_large',
          ...ON_VERSION,
          'field.data_missing',
          'field.index_taken',
          'field.owned',
          'field.path_invalid',
          'field.unreachable',
          ...ON_JSON,
        ],
        describes: { body: { 'application/json': FieldBody } },
      },
    },
    async (request, reply) => {
      const { collection, id } = request.params;
      const maxBytes = request.routeOptions.bodyLimit;
      const change = {
        collection,
        id,
        parts: fieldParts(request),
        body: jsonBody(request),
        maxBytes,
        sentAfter: sentAfter(request),
      };
      return sendJson(reply, documentJson(await documents.setField(request.actor, change)));
    },
  );
};
