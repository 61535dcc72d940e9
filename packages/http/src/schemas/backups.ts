import { Type } from 'typebox';
import { CurrentPassword, FilePart, NullableText, OptionalText, Wire } from './common.ts';

const StoredBackup = Type.Object(
  {
    name: Type.String(),
    size: Type.Integer({ description: 'Bytes' }),
    created: Wire.date,
  },
  { title: 'StoredBackup' },
);

export const BackupState = Type.Object(
  {
    supported: Type.Boolean({ description: 'False for `memory:`, which cannot be backed up' }),
    restorable: Type.Boolean({ description: 'True if the server has no data yet and can restore an archive' }),
    running: Type.Boolean({ description: 'True while a backup to `BACKUP_URL` is being written' }),
    configured: Type.Boolean({ description: 'True if `BACKUP_URL` is set' }),
    stored: Type.Array(StoredBackup, { description: 'The archives at `BACKUP_URL`, newest first' }),
    next: NullableText('The date of the next scheduled backup'),
    error: NullableText('The error of the last backup of the answering process'),
    restored: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      description: 'The last restore since the program was started',
      properties: { at: Wire.date, error: NullableText('The reason of the failure') },
      required: ['at', 'error'],
    }),
  },
  { title: 'BackupState' },
);

/** For the OpenAPI document only, like the next one: the body may be absent. */
export const DOWNLOAD = {
  body: {
    'application/json': Type.Object({
      name: OptionalText('A stored archive; without it, a new one is made'),
      current_password: CurrentPassword,
    }),
  },
  bodyIsOptional: true,
};
export const RestoreForm = Type.Object({ file: FilePart }, { title: 'RestoreForm' });

export const Archive = {
  description: 'The archive, a tar file',
  content: { 'application/x-tar': { schema: Type.Unsafe({ type: 'string', format: 'binary' }) } },
} as const;
