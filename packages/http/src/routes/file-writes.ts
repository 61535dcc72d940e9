import { AppError, type FileRecord, type Files } from '@baobab/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendDone, sendJson } from '../envelope.ts';
import { type KeyedRoutes, once } from '../idempotency.ts';
import { fileJson } from '../render/file.ts';
import { Empty, Envelope, failures } from '../schemas/common.ts';
import { KEY_HEADER, ON_GRANTS, ON_KEY, ON_UPLOAD } from '../schemas/failing.ts';
import { FileForm, FileParams, StoredFile } from '../schemas/files.ts';
import { type ReceiveOptions, receiveUpload } from '../uploads/receive.ts';
import type { Routes } from './plugin.ts';

const schema = (operationId: string, summary: string) => ({ operationId, summary, tags: ['files'] });

export interface FileWriteOptions extends ReceiveOptions, KeyedRoutes {
  readonly files: Files;
}

const fieldsOf = (fields: ReadonlyMap<string, string>) => ({
  attachedData: fields.get('attachedData') ?? null,
  acl: fields.get('acl') ?? null,
});

/** Storing and removing files. Needs the parser of multipart forms. */
export const fileWriteRoutes: Routes<FileWriteOptions> = async (app, options) => {
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
    {
      schema: { ...schema('storeFile', 'Store a file'), response: { 201: Envelope(StoredFile, 201), ...failures } },
      config: {
        fails: ['file.missing', 'grant.action_unknown', ...ON_GRANTS, ...ON_UPLOAD, ...ON_KEY],
        describes: { headers: KEY_HEADER, body: { 'multipart/form-data': FileForm } },
      },
    },
    async (request, reply) => sendJson(reply, fileJson(await store(request, reply)), 201),
  );

  app.delete(
    '/file/:id',
    {
      schema: {
        ...schema('removeFile', 'Remove a file'),
        params: FileParams,
        response: { 200: Envelope(Empty), ...failures },
      },
      config: { fails: ['access.denied', 'file.not_found'] },
    },
    async ({ actor, params }, reply) => sendDone(reply, files.remove(actor, params.id)),
  );
};
