import { useCallback, useEffect, useRef, useState } from 'react';
import { type BaobabError, isBaobabError } from '../errors.ts';
import type { Files, UploadOptions } from '../files/files.ts';
import type { Progress, UploadSource } from '../files/upload.ts';
import type { StoredFile } from '../wire.ts';

export interface UploadStatus {
  readonly state: 'idle' | 'uploading' | 'done' | 'failed';
  readonly progress: Progress | null;
  /** The stored file, once the upload is done. */
  readonly file: StoredFile | null;
  readonly error: BaobabError | null;
}

export interface Upload extends UploadStatus {
  /** Resolves to null if the upload fails or is aborted. Aborts an upload in progress. */
  upload(source: UploadSource, options?: Omit<UploadOptions, 'signal'>): Promise<StoredFile | null>;
  /** Aborts the upload. */
  abort(): void;
}

const IDLE: UploadStatus = { state: 'idle', progress: null, file: null, error: null };

/** Uploads one file at a time. An upload is aborted when its component unmounts. */
export function useUpload({ files }: { readonly files: Pick<Files, 'upload'> }): Upload {
  const [status, setStatus] = useState(IDLE);
  const current = useRef<AbortController | null>(null);

  const abort = useCallback(() => {
    current.current?.abort();
    current.current = null;
    setStatus(IDLE);
  }, []);
  useEffect(() => abort, [abort]);

  const upload = useCallback<Upload['upload']>(
    async (source, options = {}) => {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      const become = (next: Partial<UploadStatus>) => {
        if (current.current === controller) setStatus({ ...IDLE, ...next });
      };
      become({ state: 'uploading' });
      try {
        const file = await files.upload(source, {
          ...options,
          signal: controller.signal,
          onProgress(progress) {
            become({ state: 'uploading', progress });
            options.onProgress?.(progress);
          },
        });
        become({ state: 'done', file });
        return file;
      } catch (error) {
        if (!isBaobabError(error)) throw error;
        become({ state: 'failed', error });
        return null;
      }
    },
    [files],
  );
  return { ...status, upload, abort };
}
