import { AppError, expectedVersion, type ParsedJson } from '@baobab/core';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { jsonBody } from '../content-types.ts';
import { sendJson } from '../envelope.ts';
import {
  FieldBody,
  FieldParams,
  FieldRemoval,
  FieldRemovalQuery,
  FieldValue,
  WrittenDocument,
} from '../schemas/documents.ts';
import { ON_DOCUMENT, ON_FIELD, ON_FIELD_SET } from '../schemas/failing.ts';
import { operationsIn, type Routes } from './describe.ts';
import { createChangeSender, type DocumentChangeOptions } from './document-changes.ts';

const operation = operationsIn('documents');

/** One or more segments after the document, each beginning with a dot. */
const FIELD = '/document/:collection/:id/.*';
/** Number of segments before the field in a path split at its slashes: an empty one, `document`, collection, id. */
const PARTS_BEFORE = 4;

/**
 * Returns the path segments after the document, each decoded separately. The router decodes its own parameter as a
 * whole, which would turn an escaped slash in a name into a separator.
 */
function fieldParts({ url }: FastifyRequest): string[] {
  const [path = ''] = url.split('?', 1);
  return path.split('/').slice(PARTS_BEFORE).map(decodeURIComponent);
}

const VERSION = /^\d{1,15}$/;

/**
 * Returns the expected version of a document or field to remove, from the body or the query, or null.
 *
 * @throws `document.version_invalid`
 */
export function removedVersion(body: ParsedJson | null, inQuery: string | null): number | null {
  if (inQuery === null) return body === null ? null : expectedVersion(body);
  if (!VERSION.test(inQuery)) throw new AppError('document.version_invalid', { input: 'version' });
  return Number(inQuery);
}

export const documentFieldRoutes: Routes<DocumentChangeOptions> = async (app, options) => {
  const { documents } = options;
  const sendChanged = createChangeSender(options);

  app.get(
    FIELD,
    operation('readDocumentField', 'One field of a document', {
      params: FieldParams,
      data: FieldValue,
      fails: [...ON_DOCUMENT, 'field.not_found', 'field.owned', 'field.path_invalid'],
      access: 'anybody',
    }),
    async (request, reply) => {
      const { collection, id } = request.params;
      const value = await documents.readField(request.actor, { collection, id, parts: fieldParts(request) });
      return sendJson(reply, `{"result":${value}}`);
    },
  );

  app.put(
    FIELD,
    operation('setDocumentField', 'Set one field of a document', {
      params: FieldParams,
      body: Type.Unknown(),
      data: WrittenDocument,
      isKeyed: true,
      fails: ON_FIELD_SET,
      describes: { body: { 'application/json': FieldBody } },
    }),
    async (request, reply) => {
      const { actor } = request;
      const { collection, id } = request.params;
      const set = {
        collection,
        id,
        parts: fieldParts(request),
        body: jsonBody(request),
        maxBytes: request.routeOptions.bodyLimit,
      };
      return sendChanged(reply, id, (on) => on.setField(actor, set));
    },
  );

  app.delete(
    FIELD,
    operation('removeDocumentField', 'Remove one field of a document', {
      params: FieldParams,
      querystring: FieldRemovalQuery,
      data: WrittenDocument,
      isKeyed: true,
      fails: [...ON_FIELD, 'field.not_found', 'input.json_invalid'],
      describes: { body: { 'application/json': FieldRemoval }, bodyIsOptional: true },
    }),
    async (request, reply) => {
      const { actor, query } = request;
      const { collection, id } = request.params;
      const version = removedVersion(request.json, query.version ?? null);
      const removal = { collection, id, parts: fieldParts(request), version };
      return sendChanged(reply, id, (on) => on.removeField(actor, removal));
    },
  );
};
