import { type ReactNode, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { useService } from '../../parts/service.ts';
import { texts } from '../../texts.ts';
import { numberText } from '../../values/format.ts';
import { documentsOf, removeAll } from './bulk.ts';
import { ExportDialog } from './export-dialog.tsx';

const TEXTS = texts.documents.bulk;

type Reader = (signal: AbortSignal) => AsyncIterable<readonly unknown[]>;

interface BulkActionsProps {
  readonly collection: string;
  readonly selected: ReadonlySet<string>;
  /** Reads every document of the list. */
  readonly readAll: Reader;
  /** @param left the documents that are still selected */
  readonly onChanged: (left: readonly string[]) => void;
}

/** Deletes and exports selected documents, and exports the whole list. */
export function BulkActions({ collection, selected, readAll, onChanged }: BulkActionsProps): ReactNode {
  const { client } = useService();
  const [exported, setExported] = useState<{ readonly open: Reader } | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const ids = [...selected];

  async function remove(): Promise<void> {
    const { left, error } = await removeAll(client, collection, ids);
    onChanged(left);
    if (error !== null) throw error;
  }

  return (
    <div className="row bulk">
      {ids.length > 0 && (
        <>
          <span role="status">{TEXTS.selected(numberText(ids.length))}</span>
          <button type="button" className="danger" onClick={() => setDeleting(true)}>
            {TEXTS.delete}
          </button>
          <button
            type="button"
            onClick={() => setExported({ open: (signal) => documentsOf(client, { collection, ids }, signal) })}
          >
            {TEXTS.exportSelected}
          </button>
          <button type="button" onClick={() => onChanged([])}>
            {TEXTS.unselect}
          </button>
        </>
      )}
      <button type="button" onClick={() => setExported({ open: readAll })}>
        {TEXTS.exportAll}
      </button>
      {exported !== null && (
        <ExportDialog collection={collection} open={exported.open} onClose={() => setExported(null)} />
      )}
      {isDeleting && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(numberText(ids.length))}
          act={remove}
          onDone={() => setDeleting(false)}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}
