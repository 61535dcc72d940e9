import { AppError, type FileRecord, type Files, type ResizeRequest } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerSearch, type ListRoutes, listQuery, MAX_LIST_BODY } from '../../lists/criteria.ts';
import { fileJson, filesJson } from '../../render/file.ts';
import { type KeyedRoutes, once } from '../../requests/idempotency.ts';
import { textOf } from '../../requests/target.ts';
import { sendDone, sendJson } from '../../responses/envelope.ts';
import { SERVED } from '../../schemas/assets.ts';
import { FreeObject } from '../../schemas/common.ts';
import { ON_BYTES, ON_DOCUMENT, ON_GRANTS, ON_IMAGE, ON_UPLOAD } from '../../schemas/failing.ts';
import {
  FileDetailsQuery,
  FileForm,
  FileListQuery,
  FileQuery,
  StoredFile,
  StoredFileWithGrants,
  UploadQuery,
} from '../../schemas/files.ts';
import { etagOf } from '../../stored/conditions.ts';
import { serveBytes } from '../../stored/serve.ts';
import { serveImage, sizeIndex } from '../../stored/serve-image.ts';
import { type ReceiveOptions, receiveUpload } from '../../uploads/receive.ts';
import { listOf, operationsIn, queryOf, type Routes } from '../describe.ts';
import { GRANTEES } from '../documents/operations.ts';

const operation = operationsIn('files');

const FILES = listOf(StoredFile);
/** Also for anonymous callers, who may read the files of documents that they may read. */
const LIST = {
  ...FILES,
  querystring: FileListQuery,
  fails: [...FILES.fails, ...ON_DOCUMENT, 'auth.required'],
  access: 'anybody',
} as const;

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

/** Reading and sharing files. */
export const fileRoutes: Routes<ListRoutes & { files: Files }> = async (app, { files, parseQuery, pages }) => {
  const sendFiles = async (request: FastifyRequest, reply: FastifyReply) => {
    const { actor } = request;
    const document = textOf(listQuery(request), 'document');
    return answerSearch(request, reply, {
      count: ({ where }) => files.count(actor, where, document),
      search: (page) => files.search(actor, page, document),
      render: filesJson,
      parseQuery,
      pages,
    });
  };

  app.get(
    '/file/details',
    operation('listFiles', 'List the details of files that the caller may read', LIST),
    sendFiles,
  );

  app.post(
    '/file/details/query',
    {
      bodyLimit: MAX_LIST_BODY,
      ...operation('queryFiles', 'List files, with the parameters in the body', queryOf(LIST)),
    },
    sendFiles,
  );

  app.get(
    '/file/details/:id',
    operation('readFileDetails', 'Read the details of a file', {
      querystring: FileDetailsQuery,
      data: StoredFileWithGrants,
      fails: ['auth.required', 'file.not_found'],
      access: 'anybody',
    }),
    async ({ actor, params: { id }, query }, reply) => {
      if (query.withAcl !== 'true') return sendJson(reply, fileJson(await files.read(actor, id)));
      const { file, grants } = await files.readWithGrants(actor, id);
      return sendJson(reply, fileJson(file, grants));
    },
  );

  app.get(
    '/file/attachedData/:id',
    operation('readFileAttachedData', 'Read the attached data of a file', {
      data: FreeObject,
      fails: ['auth.required', 'file.not_found'],
      access: 'anybody',
    }),
    async ({ actor, params }, reply) => sendJson(reply, (await files.read(actor, params.id)).attachedData),
  );

  app.get(
    '/file/:id',
    operation('readFile', 'Read the bytes of a file, or a resized image', {
      querystring: FileQuery,
      response: SERVED,
      ignoresUnknownQueries: true,
      fails: ['auth.required', 'file.not_found', ...ON_BYTES, ...ON_IMAGE],
      access: 'anybody',
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

  for (const { kind, name, parameter } of GRANTEES) {
    const url = `/file/:id/:action/${kind}/:${parameter}` as const;
    const fails = ['access.denied', 'file.not_found', 'grant.action_unknown', `${kind}.not_found`] as const;

    app.put(
      url,
      operation(`grantFileTo${name}`, `Grant a ${kind} a right on a file`, { fails }),
      async ({ actor, params: { id, action, [parameter]: to } }, reply) =>
        sendDone(reply, files.grant(actor, { id, action, grantee: { kind, name: to } })),
    );

    app.delete(
      url,
      operation(`revokeFileFrom${name}`, `Revoke a right on a file from a ${kind}`, { fails }),
      async ({ actor, params: { id, action, [parameter]: from } }, reply) =>
        sendDone(reply, files.revoke(actor, { id, action, grantee: { kind, name: from } })),
    );
  }
};

const fieldsOf = (fields: ReadonlyMap<string, string>) => ({
  attachedData: fields.get('attachedData') ?? null,
  acl: fields.get('acl') ?? null,
});

/** Uploads and removals of files. Requires the parser of multipart forms. */
export const fileUploadRoutes: Routes<ReceiveOptions & KeyedRoutes & { files: Files }> = async (app, options) => {
  const { files, maxFileBytes } = options;

  async function store(request: FastifyRequest, reply: FastifyReply, document: string | null): Promise<FileRecord> {
    if (!request.isMultipart()) throw new AppError('file.missing');
    return receiveUpload(request, options, async (upload, fields) => {
      if (upload === null) throw new AppError('file.missing');
      const describe = async () => ({ ...(await upload.describe()), ...fieldsOf(fields) });
      const file = { document, bytes: upload.bytes, early: fieldsOf(fields), describe };
      return once(options, reply, (transact) => files.store(request.actor, file, maxFileBytes, transact));
    });
  }

  app.post(
    '/file',
    operation('storeFile', 'Upload a file', {
      created: StoredFile,
      isKeyed: true,
      querystring: UploadQuery,
      fails: ['file.missing', 'grant.action_unknown', ...ON_GRANTS, ...ON_UPLOAD, ...ON_DOCUMENT],
      describes: { body: { 'multipart/form-data': FileForm } },
    }),
    async (request, reply) =>
      sendJson(reply, fileJson(await store(request, reply, request.query.document ?? null)), 201),
  );

  app.delete(
    '/file/:id',
    operation('removeFile', 'Remove a file', { fails: ['access.denied', 'file.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, files.remove(actor, params.id)),
  );
};
