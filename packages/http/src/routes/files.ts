import type { FileRecord, Files, ResizeRequest } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerSearch, type ListRoutes } from '../criteria.ts';
import { sendJson } from '../envelope.ts';
import { MAX_LIST_BODY } from '../list-body.ts';
import { fileJson, filesJson } from '../render/file.ts';
import { SERVED } from '../schemas/assets.ts';
import { FreeObject } from '../schemas/common.ts';
import { ON_BYTES, ON_IMAGE } from '../schemas/failing.ts';
import { FileDetailsQuery, FileQuery, StoredFile, StoredFileWithGrants } from '../schemas/files.ts';
import { etagOf } from '../stored/conditions.ts';
import { serveBytes } from '../stored/serve.ts';
import { serveImage, sizeIndex } from '../stored/serve-image.ts';
import { listOf, operationsIn, queryOf, type Routes } from './describe.ts';

const operation = operationsIn('files');

/** Only private caches may store files, and they revalidate each time, because a permission may have been revoked. */
const CACHING = 'private, no-cache';

/** Headers of a file and its resized variants. */
const sentAs = ({ fileName, contentType, created }: FileRecord, { download }: { download?: string }) => ({
  fileName,
  contentType,
  modified: created,
  caching: CACHING,
  isShared: false,
  asAttachment: download === 'true',
});

/**
 * Returns the size that a query requests, by its text or by its index in the settings (from 0); null for the original.
 */
function sizeIn({ resize, sizeId }: { resize?: string; sizeId?: string }): ResizeRequest | null {
  if (resize !== undefined) return { format: resize };
  if (sizeId === undefined) return null;
  return { position: sizeIndex(sizeId, 0) };
}

export const fileRoutes: Routes<ListRoutes & { files: Files }> = async (app, { files, parseQuery, pages }) => {
  const sendFiles = async (request: FastifyRequest, reply: FastifyReply) =>
    answerSearch(request, reply, { objects: files, render: filesJson, parseQuery, pages });

  app.get(
    '/file/details',
    operation('listFiles', 'The details of the files that the caller may read', listOf(StoredFile)),
    sendFiles,
  );

  app.post(
    '/file/details/query',
    {
      bodyLimit: MAX_LIST_BODY,
      ...operation('queryFiles', 'As listFiles, with the parameters in the body', queryOf(listOf(StoredFile))),
    },
    sendFiles,
  );

  app.get(
    '/file/details/:id',
    operation('readFileDetails', 'The details of a file', {
      querystring: FileDetailsQuery,
      data: StoredFileWithGrants,
      fails: ['access.denied', 'file.not_found'],
    }),
    async ({ actor, params: { id }, query }, reply) => {
      if (query.withAcl !== 'true') return sendJson(reply, fileJson(await files.read(actor, id)));
      const { file, grants } = await files.readWithGrants(actor, id);
      return sendJson(reply, fileJson(file, grants));
    },
  );

  app.get(
    '/file/attachedData/:id',
    operation('readFileAttachedData', 'The attached data of a file', {
      data: FreeObject,
      fails: ['access.denied', 'file.not_found'],
    }),
    async ({ actor, params }, reply) => sendJson(reply, (await files.read(actor, params.id)).attachedData),
  );

  app.get(
    '/file/:id',
    operation('readFile', 'The bytes of a file, or a resized image', {
      querystring: FileQuery,
      response: SERVED,
      ignoresUnknownQueries: true,
      fails: ['access.denied', 'file.not_found', ...ON_BYTES, ...ON_IMAGE],
    }),
    async (request, reply) => {
      const { actor, params, query } = request;
      const size = sizeIn(query);
      if (size !== null) {
        const { file, image } = await files.resized(actor, params.id, size);
        const etag = etagOf(file.sha256, image.variant);
        return serveImage(request, reply, { ...sentAs(file, query), etag, image, gone: 'file.not_found' });
      }
      const { file, open } = await files.open(actor, params.id);
      return serveBytes(request, reply, { ...sentAs(file, query), etag: etagOf(file.sha256), size: file.size, open });
    },
  );
};
