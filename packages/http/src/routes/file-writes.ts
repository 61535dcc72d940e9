import { AppError, type FileRecord, type Files } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendDone, sendJson } from '../envelope.ts';
import { type KeyedRoutes, once } from '../idempotency.ts';
import { fileJson } from '../render/file.ts';
import { ON_GRANTS, ON_UPLOAD } from '../schemas/failing.ts';
import { FileForm, StoredFile } from '../schemas/files.ts';
import { type ReceiveOptions, receiveUpload } from '../uploads/receive.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('files');

const fieldsOf = (fields: ReadonlyMap<string, string>) => ({
  attachedData: fields.get('attachedData') ?? null,
  acl: fields.get('acl') ?? null,
});

/** Uploads and removals of files. Requires the parser of multipart forms. */
export const fileWriteRoutes: Routes<ReceiveOptions & KeyedRoutes & { files: Files }> = async (app, options) => {
  const { files, maxFileBytes } = options;

  async function store(request: FastifyRequest, reply: FastifyReply): Promise<FileRecord> {
    if (!request.isMultipart()) throw new AppError('file.missing');
    return receiveUpload(request, options, async (upload, fields) => {
      if (upload === null) throw new AppError('file.missing');
      const describe = async () => ({ ...(await upload.describe()), ...fieldsOf(fields) });
      const file = { bytes: upload.bytes, early: fieldsOf(fields), describe };
      return once(options, reply, (transact) => files.store(request.actor, file, maxFileBytes, transact));
    });
  }

  app.post(
    '/file',
    operation('storeFile', 'Store a file', {
      created: StoredFile,
      isKeyed: true,
      fails: ['file.missing', 'grant.action_unknown', ...ON_GRANTS, ...ON_UPLOAD],
      describes: { body: { 'multipart/form-data': FileForm } },
    }),
    async (request, reply) => sendJson(reply, fileJson(await store(request, reply)), 201),
  );

  app.delete(
    '/file/:id',
    operation('removeFile', 'Remove a file', { fails: ['access.denied', 'file.not_found'] }),
    async ({ actor, params }, reply) => sendDone(reply, files.remove(actor, params.id)),
  );
};
