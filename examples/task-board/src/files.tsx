import type { StoredFile } from '@baobab/client';
import { useCallback, useEffect, useState } from 'react';
import { baobab } from './baobab.ts';
import type { useAction } from './use-action.ts';

interface FilesProps {
  readonly task: { readonly id: string; readonly title: string };
  readonly run: ReturnType<typeof useAction>['run'];
}

/** The files of a task. Readers of the task may download them, and they are deleted with it. */
export function Files({ task: { id, title }, run }: FilesProps) {
  const [files, setFiles] = useState<readonly StoredFile[]>([]);
  const document = `tasks/${id}` as const;
  const load = useCallback(async () => setFiles(await baobab.files.query({ document }).list()), [document]);
  useEffect(() => void run(load), [run, load]);
  const upload = (file: File) => run(() => baobab.files.upload(file, { document }).then(load));
  return (
    <>
      {files.map((file) => (
        <a key={file.id} href={baobab.files.url(file.id, { download: true })}>
          {file.fileName}
        </a>
      ))}
      <input
        type="file"
        aria-label={`Attach to ${title}`}
        onChange={({ target }) => target.files?.[0] && upload(target.files[0])}
      />
    </>
  );
}
