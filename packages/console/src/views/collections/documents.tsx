import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { Field } from '../../parts/field.tsx';
import { useService } from '../../parts/service.ts';
import { usePages } from '../../parts/use-pages.ts';
import { Loading, Pager, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { parseOrder } from '../../values/documents.ts';
import { DocumentTable } from './document-table.tsx';
import { NewDocument } from './new-document.tsx';

const TEXTS = texts.documents;

interface DocumentsProps {
  readonly collection: string;
  /** A condition of the query language. */
  readonly where: string;
  /** Such as `title desc`. */
  readonly order: string;
}

/** The documents of a collection, page by page. */
export function Documents({ collection, where, order: orderText }: DocumentsProps): ReactNode {
  const { client } = useService();
  const [text, setText] = useState(where);
  useEffect(() => setText(where), [where]);
  const [shown, setShown] = useState<'create' | 'delete' | null>(null);
  const order = parseOrder(orderText);
  const query = useCallback(() => {
    const all = client.collection(collection).query();
    const found = where === '' ? all : all.whereUnchecked(where);
    const parsed = parseOrder(orderText);
    return parsed === null ? found : found.orderBy(parsed.by, parsed.direction);
  }, [client, collection, where, orderText]);
  const { loaded, page, toNext, toFirst } = usePages(query);
  const isRefused = where !== '' && loaded.error !== null;
  const to = (change: { readonly where?: string; readonly order?: string }) =>
    go(['collections', collection], { where, order: orderText, ...change });
  return (
    <View
      title={collection}
      parents={[[hrefOf(['collections']), texts.collections.title]]}
      actions={
        <>
          <button type="button" className="main" onClick={() => setShown('create')}>
            {TEXTS.create}
          </button>
          <button type="button" className="danger" onClick={() => setShown('delete')}>
            {texts.collections.delete}
          </button>
        </>
      }
    >
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          to({ where: text.trim() });
        }}
      >
        <Field
          label={TEXTS.where}
          value={text}
          onChange={setText}
          about={TEXTS.whereAbout}
          problem={isRefused ? messageOf(loaded.error) : null}
        />
        <button type="submit">{TEXTS.apply}</button>
        {where !== '' && (
          <button type="button" onClick={() => to({ where: '' })}>
            {TEXTS.clear}
          </button>
        )}
      </form>
      {!isRefused && (
        <Loading loaded={loaded}>
          {({ rows, next }) => (
            <>
              {rows.length === 0 ? (
                <p>{TEXTS.none}</p>
              ) : (
                <DocumentTable
                  collection={collection}
                  documents={rows}
                  order={order}
                  onOrder={(asked) => to({ order: asked })}
                />
              )}
              <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />
            </>
          )}
        </Loading>
      )}
      {shown === 'create' && <NewDocument collection={collection} onClose={() => setShown(null)} />}
      {shown === 'delete' && (
        <Confirm
          title={texts.collections.delete}
          about={texts.collections.deleteAbout(collection)}
          typed={collection}
          act={() => client.admin.collections.remove(collection)}
          onDone={() => go(['collections'])}
          onClose={() => setShown(null)}
        />
      )}
    </View>
  );
}
