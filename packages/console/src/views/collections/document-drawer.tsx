import { ChevronDown, ChevronUp, Copy, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { PlaceQuery } from '../../address.ts';
import { IconButton } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import type { MenuEntry } from '../../parts/menu.tsx';
import { MoreMenu } from '../../parts/menu.tsx';
import { useService } from '../../parts/service.ts';
import { toast } from '../../parts/toasts.tsx';
import { Loading } from '../../parts/view.tsx';
import { go, useGoInstead } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { titleOf } from '../../values/documents.ts';
import { cellText } from '../../values/format.ts';
import { DocumentEditor } from './document-editor.tsx';
import type { StoredDocument } from './stored-document.ts';
import { useSchema } from './use-schema.ts';

const TEXTS = texts.documents;

interface DocumentDrawerProps {
  readonly collection: string;
  readonly id: string;
  /** Ids of the documents in the table behind it, in their order. */
  readonly neighbors: readonly string[];
  /** Query of the list. */
  readonly query: PlaceQuery;
  readonly onChanged: () => void;
}

function nameOf(document: StoredDocument | null, id: string): string {
  const title = document === null ? null : titleOf([document]);
  return (title === null ? '' : cellText(document?.[title])) || id;
}

/** A document with its content and grants, over the table that contains it. */
export function DocumentDrawer({ collection, id, neighbors, query, onChanged }: DocumentDrawerProps): ReactNode {
  const { client } = useService();
  const loaded = useLoad(
    ['document', collection, id],
    (signal): Promise<StoredDocument> => client.collection(collection).get(id, { signal }),
  );
  const schema = useSchema(collection);
  const goInstead = useGoInstead();
  const [isDeleting, setDeleting] = useState(false);
  const name = nameOf(loaded.data, id);
  const at = neighbors.indexOf(id);
  const to = (other: string | undefined) => other !== undefined && go(['collections', collection, other], query);
  const close = () => go(['collections', collection], query);
  const menu: readonly MenuEntry[] = [
    { text: texts.parts.copyOf(TEXTS.id), icon: Copy, act: () => navigator.clipboard?.writeText(id) },
    { text: TEXTS.delete, icon: Trash2, isDanger: true, act: () => setDeleting(true) },
  ];
  return (
    <Dialog
      kind="drawer"
      title={name}
      onClose={close}
      tools={
        <>
          <IconButton
            icon={ChevronUp}
            label={TEXTS.previous}
            disabled={at <= 0}
            onClick={() => to(neighbors[at - 1])}
          />
          <IconButton
            icon={ChevronDown}
            label={TEXTS.next}
            disabled={at < 0 || at === neighbors.length - 1}
            onClick={() => to(neighbors[at + 1])}
          />
          {loaded.data !== null && <MoreMenu label={TEXTS.menuOf(name)} entries={menu} />}
        </>
      }
    >
      {loaded.data === null || schema.data === null ? (
        <div className="overlay-body">
          <Loading loaded={loaded}>{() => null}</Loading>
          {loaded.error === null && <Loading loaded={schema}>{() => null}</Loading>}
        </div>
      ) : (
        <DocumentEditor
          collection={collection}
          document={loaded.data}
          schema={schema.data.schema}
          onChanged={() => {
            loaded.reload();
            onChanged();
          }}
          onClose={close}
        />
      )}
      {isDeleting && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout(name)}
          act={() => client.collection(collection).remove(id)}
          onDone={() => {
            toast(TEXTS.deleted(name));
            goInstead(['collections', collection], query);
            onChanged();
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </Dialog>
  );
}
