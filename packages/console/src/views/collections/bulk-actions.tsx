import { Download, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';
import { numberText } from '../../values/format.ts';
import { documentsOf, removeAll } from './bulk.ts';
import { ExportDialog } from './export-dialog.tsx';

const TEXTS = texts.documents.bulk;

type OpenRows = (signal: AbortSignal) => AsyncIterable<readonly unknown[]>;

/** Action on several documents. */
export type BulkAction =
  | { readonly kind: 'export'; readonly open: OpenRows }
  | { readonly kind: 'delete'; readonly ids: readonly string[] };

interface BulkActionsProps {
  readonly collection: string;
  readonly selected: ReadonlySet<string>;
  readonly asked: BulkAction | null;
  readonly onAsk: (asked: BulkAction | null) => void;
  /** @param left the documents that are still selected */
  readonly onChanged: (left: readonly string[]) => void;
}

/** Deletes and exports documents. A bar with the actions for the selected ones floats over the table. */
export function BulkActions({ collection, selected, asked, onAsk, onChanged }: BulkActionsProps): ReactNode {
  const { client } = useService();
  const ids = [...selected];
  const close = () => onAsk(null);

  async function remove(wanted: readonly string[]): Promise<void> {
    const { left, error } = await removeAll(client, collection, wanted);
    onChanged([...selected].filter((id) => left.includes(id) || !wanted.includes(id)));
    if (error !== null) throw error;
    toast(TEXTS.deleted(numberText(wanted.length)));
  }

  return (
    <>
      {ids.length > 0 && (
        <div className="selection-bar" role="toolbar" aria-label={TEXTS.bar}>
          <span role="status">{TEXTS.selected(numberText(ids.length))}</span>
          <Button
            icon={Download}
            onClick={() =>
              onAsk({ kind: 'export', open: (signal) => documentsOf(client, { collection, ids }, signal) })
            }
          >
            {TEXTS.exportSelected}
          </Button>
          <Button kind="danger" icon={Trash2} onClick={() => onAsk({ kind: 'delete', ids })}>
            {TEXTS.delete}
          </Button>
          <Button kind="ghost" onClick={() => onChanged([])}>
            {TEXTS.unselect}
          </Button>
        </div>
      )}
      {asked?.kind === 'export' && <ExportDialog collection={collection} open={asked.open} onClose={close} />}
      {asked?.kind === 'delete' && (
        <Confirm
          title={TEXTS.deleteTitle(asked.ids.length)}
          about={TEXTS.deleteAbout(asked.ids.length, collection)}
          act={() => remove(asked.ids)}
          onDone={close}
          onClose={close}
        />
      )}
    </>
  );
}
