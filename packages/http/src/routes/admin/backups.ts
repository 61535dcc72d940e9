import { Readable } from 'node:stream';
import { AppError, type Backups, type BackupState as State, wireDate, wireDateOrNull } from '@baobab/core';
import type { FastifyReply } from 'fastify';
import { presenceOf, textsIn } from '../../requests/presence.ts';
import { sendData, sendDone } from '../../responses/envelope.ts';
import { Archive, BackupState, DOWNLOAD, RestoreForm } from '../../schemas/backups.ts';
import { Empty, Envelope } from '../../schemas/common.ts';
import { ON_ADMINISTRATOR } from '../../schemas/failing.ts';
import { BlobStream } from '../../stored/blob-stream.ts';
import { disposition } from '../../stored/headers.ts';
import { type ReceiveOptions, receiveUpload } from '../../uploads/receive.ts';
import { operationsIn, type Routes } from '../describe.ts';

const operation = operationsIn('administration');

const ACCEPTED = { response: { 202: Envelope(Empty, 202) } } as const;

const shown = ({ stored, next, restored, ...state }: State) => ({
  supported: state.isSupported,
  restorable: state.isRestorable,
  running: state.isRunning,
  configured: stored !== null,
  stored: (stored ?? []).map(({ name, size, created }) => ({ name, size, created: wireDate(created) })),
  next: wireDateOrNull(next),
  error: state.error,
  restored: restored === null ? null : { at: wireDate(restored.at), error: restored.error },
});

/** Names an archive by the time of its creation. */
const fileNameOf = (name: string | null) =>
  `baobab-${name ?? new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}.tar`;

const asArchive = (reply: FastifyReply, name: string | null) =>
  reply.headers({
    'cache-control': 'no-store',
    'content-type': 'application/x-tar',
    'content-disposition': disposition('attachment', fileNameOf(name)),
  });

/** Backups of a running server. */
export const backupRoutes: Routes<{ backups: Backups }> = async (app, { backups }) => {
  app.get(
    '/admin/backup',
    operation('readBackups', 'Read the stored backups and the schedule', {
      data: BackupState,
      fails: ['blobs.unavailable'],
    }),
    async ({ actor }, reply) => sendData(reply, shown(await backups.state(actor))),
  );

  app.post(
    '/admin/backup',
    operation('storeBackup', 'Start a backup to BACKUP_URL', {
      description: 'Responds before the backup is complete: see `running` and `error` of `GET /admin/backup`.',
      ...ACCEPTED,
      fails: ['backup.busy', 'backup.unconfigured', 'backup.unsupported'],
    }),
    async ({ actor }, reply) => sendDone(reply, backups.begin(actor), 202),
  );

  app.post(
    '/admin/backup/download',
    operation('downloadBackup', 'Download a new or a stored archive', {
      description:
        'The archive has the format of `baobab backup`. It ends with checksums, so an incomplete download cannot be restored.',
      response: { 200: Archive },
      isAudited: true,
      fails: [
        'backup.not_found',
        'backup.unconfigured',
        'backup.unsupported',
        'blobs.unavailable',
        ...ON_ADMINISTRATOR,
      ],
      describes: DOWNLOAD,
    }),
    async (request, reply) => {
      const { name } = textsIn(request.body, ['name']);
      const presence = presenceOf(request);
      if (name === null) {
        const bytes = await backups.download(request.actor, presence);
        return asArchive(reply, null).send(Readable.from(bytes, { objectMode: false }));
      }
      const content = await backups.open(request.actor, name, presence);
      return asArchive(reply, name).header('content-length', content.size).send(new BlobStream(content));
    },
  );

  app.delete(
    '/admin/backup/:name',
    operation('removeBackup', 'Remove a stored backup', {
      isAudited: true,
      fails: ['backup.not_found', 'backup.unconfigured', 'blobs.unavailable'],
    }),
    async ({ actor, params }, reply) => sendDone(reply, backups.remove(actor, params.name)),
  );
};

/** Restores of uploaded archives. Requires the parser of multipart forms. */
export const restoreRoutes: Routes<ReceiveOptions & { backups: Backups }> = async (app, options) => {
  const { backups } = options;
  app.post(
    '/admin/backup/restore',
    operation('restoreBackup', 'Restore an archive into a server without data', {
      description:
        'The server verifies the archive before it responds. Then it restores the archive, which ends all sessions; it ' +
        'is not ready meanwhile. A refused or failed restore changes nothing.',
      ...ACCEPTED,
      fails: [
        'backup.busy',
        'backup.invalid',
        'backup.not_empty',
        'backup.unsupported',
        'blobs.unavailable',
        'file.missing',
        'upload.invalid',
      ],
      describes: { body: { 'multipart/form-data': RestoreForm } },
    }),
    async (request, reply) => {
      await backups.requireFresh(request.actor);
      if (!request.isMultipart()) throw new AppError('file.missing');
      // The archive may be larger than any file in it.
      const unlimited = { ...options, maxFileBytes: Number.MAX_SAFE_INTEGER };
      return receiveUpload(request, unlimited, async (upload) => {
        if (upload === null) throw new AppError('file.missing');
        return sendDone(reply, backups.restore(request.actor, upload.bytes), 202);
      });
    },
  );
};
