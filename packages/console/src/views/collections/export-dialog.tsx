import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { texts } from '../../texts.ts';
import { numberText } from '../../values/format.ts';
import { toNdjson } from './bulk.ts';

const TEXTS = texts.documents.bulk;

interface ExportDialogProps {
  readonly collection: string;
  /** Reads the documents; must stay the same function while the dialog is open. */
  readonly open: (signal: AbortSignal) => AsyncIterable<readonly unknown[]>;
  readonly onClose: () => void;
}

/** Exports documents page by page into a file and shows the progress. Closing the dialog aborts the export. */
export function ExportDialog({ collection, open, onClose }: ExportDialogProps): ReactNode {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<'reading' | 'saved' | 'failed'>('reading');
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    toNdjson(open(signal), setCount).then(
      (file) => {
        if (signal.aborted) return;
        saveFile(file, `${collection}.ndjson`);
        setState('saved');
      },
      (failure: unknown) => {
        if (signal.aborted) return;
        setError(failure);
        setState('failed');
      },
    );
    return () => controller.abort();
  }, [collection, open]);
  return (
    <Dialog title={TEXTS.export} onClose={onClose}>
      <div className="overlay-body">
        <p role="status">{state === 'saved' ? TEXTS.exported(numberText(count)) : TEXTS.reading(numberText(count))}</p>
        <Failure error={error} />
      </div>
      <div className="overlay-foot">
        <Button onClick={onClose}>{state === 'reading' ? texts.cancel : texts.done}</Button>
      </div>
    </Dialog>
  );
}
