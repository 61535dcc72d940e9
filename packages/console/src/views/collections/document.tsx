import type { DocumentFields } from '@baobab/client';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { GrantEditor } from '../../parts/grant-editor.tsx';
import { useService } from '../../parts/service.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { dateText } from '../../values/format.ts';
import type { JsonObject } from '../../values/json.ts';
import { DocumentEditor } from './document-editor.tsx';
import { useSchema } from './use-schema.ts';

const TEXTS = texts.documents;

export type StoredDocument = JsonObject & DocumentFields;

interface DocumentProps {
  readonly collection: string;
  readonly id: string;
}

/** A document with its content and grants. */
export function DocumentView({ collection, id }: DocumentProps): ReactNode {
  const { client } = useService();
  const documents = useMemo(() => client.collection(collection), [client, collection]);
  const load = useCallback(
    (signal: AbortSignal): Promise<StoredDocument> => client.collection(collection).get(id, { signal }),
    [client, collection, id],
  );
  const loaded = useLoad(load);
  const schema = useSchema(collection);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <View
      title={id}
      parents={[
        [hrefOf(['collections']), texts.collections.title],
        [hrefOf(['collections', collection]), collection],
      ]}
      actions={
        <button type="button" className="danger" onClick={() => setDeleting(true)}>
          {TEXTS.delete}
        </button>
      }
    >
      <Loading loaded={loaded}>
        {(document) => (
          <>
            <dl>
              <dt>{TEXTS.author}</dt>
              <dd>{document._author}</dd>
              <dt>{TEXTS.created}</dt>
              <dd>{dateText(document._creation_date)}</dd>
            </dl>
            <Loading loaded={schema}>
              {(found) => <DocumentEditor collection={collection} document={document} schema={found.schema} />}
            </Loading>
            <GrantEditor calls={documents} id={id} none={TEXTS.noGrants} />
          </>
        )}
      </Loading>
      {isDeleting && (
        <Confirm
          title={TEXTS.delete}
          about={TEXTS.deleteAbout}
          act={() => client.collection(collection).remove(id)}
          onDone={() => go(['collections', collection])}
          onClose={() => setDeleting(false)}
        />
      )}
    </View>
  );
}
