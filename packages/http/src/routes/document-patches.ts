import type { FastifyInstance } from 'fastify';
import { jsonBody, MERGE_PATCH, registerMergePatches } from '../content-types.ts';
import { AnyJson, MergePatch, Patch, WrittenDocument } from '../schemas/documents.ts';
import { ON_PATCH } from '../schemas/failing.ts';
import { operationsIn, type Routes } from './describe.ts';
import { createChangeSender, type DocumentChangeOptions } from './document-changes.ts';

const operation = operationsIn('documents');

/** Patches of documents. Requires a separate scope, for the parser of merge patches. */
export const documentPatchRoutes: Routes<DocumentChangeOptions> = async (app, options) => {
  const sendChanged = createChangeSender(options);
  registerMergePatches(app as unknown as FastifyInstance);

  app.patch(
    '/document/:collection/:id',
    operation('patchDocument', 'Change several fields of a document', {
      body: AnyJson,
      data: WrittenDocument,
      isKeyed: true,
      fails: ON_PATCH,
      describes: { body: { 'application/json': Patch, [MERGE_PATCH]: MergePatch } },
    }),
    async (request, reply) => {
      const { actor, params, headers } = request;
      const patch = {
        ...params,
        kind: headers['content-type']?.startsWith(MERGE_PATCH) === true ? 'merge' : 'operators',
        body: jsonBody(request),
        maxBytes: request.routeOptions.bodyLimit,
      } as const;
      return sendChanged(reply, params.id, (on) => on.patch(actor, patch));
    },
  );
};
