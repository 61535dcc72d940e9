import type { BackupState } from '../admin-wire.ts';
import { type Progress, type UploadSource, uploadRequest } from '../files/upload.ts';
import type { CallOptions, PresenceOptions } from '../options.ts';
import type { Api } from '../transport/api.ts';
import { path } from '../transport/path.ts';

export interface Backups {
  /** Returns the stored backups, the schedule, and whether an archive can be restored. */
  state(options?: CallOptions): Promise<BackupState>;
  /** Begins a backup to `BACKUP_URL`. `state` tells when it is complete. */
  begin(options?: CallOptions): Promise<void>;
  /**
   * Returns the response with a new archive, or with the stored one of this name. Requires a login within the last ten
   * minutes, or the password.
   */
  download(options?: PresenceOptions & { readonly name?: string }): Promise<Response>;
  /** Removes a stored backup. */
  remove(name: string, options?: CallOptions): Promise<void>;
  /** Restores an archive into a server without data. The server restarts, which ends all sessions. */
  restore(
    archive: UploadSource,
    options?: CallOptions & { readonly onProgress?: (progress: Progress) => void },
  ): Promise<void>;
}

export function createBackups(api: Api): Backups {
  const base = '/admin/backup';
  return {
    state: (options) => api.get(base, {}, options),
    begin: (options) => api.send({ method: 'POST', path: base, repeat: 'never', options }),
    download({ name, currentPassword, ...options } = {}) {
      const json = { name, current_password: currentPassword };
      const request = { method: 'POST', path: `${base}/download`, json, repeat: 'always' } as const;
      return api.transport.fetch({ ...request, options: { timeout: 0, ...options } });
    },
    remove: (name, options) => api.remove(base + path`/${name}`, ['backup.not_found'], options),
    restore(source, { onProgress, ...options } = {}) {
      const upload = uploadRequest({ source, fields: {}, ...(onProgress && { onProgress }) });
      const request = { method: 'POST', path: `${base}/restore`, repeat: 'never', ...upload } as const;
      return api.send({ ...request, options: { timeout: 0, ...options } });
    },
  };
}
