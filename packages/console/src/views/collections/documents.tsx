import type { LiveHandlers, LiveState } from '@baobab/client';
import { type ReactNode, useCallback, useState } from 'react';
import { Confirm } from '../../parts/dialog.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { useService } from '../../parts/service.ts';
import { useLive } from '../../parts/use-live.ts';
import { ROWS, usePages } from '../../parts/use-pages.ts';
import { Loading, Pager, View } from '../../parts/view.tsx';
import { go, hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { parseOrder } from '../../values/documents.ts';
import { pagesOf } from './bulk.ts';
import { BulkActions } from './bulk-actions.tsx';
import type { StoredDocument } from './document.tsx';
import { DocumentTable } from './document-table.tsx';
import { FilterForm } from './filter-form.tsx';
import { NewDocument } from './new-document.tsx';

const TEXTS = texts.documents;
const NONE: ReadonlySet<string> = new Set();

interface DocumentsProps {
  readonly collection: string;
  /** A filter in the query language. */
  readonly where: string;
  /** Order, such as `title desc`. */
  readonly order: string;
  /** True if the first rows are kept up to date. */
  readonly isLive: boolean;
}

/** The documents of a collection, page by page, or the first ones live. */
export function Documents({ collection, where, order: orderText, isLive }: DocumentsProps): ReactNode {
  const { client } = useService();
  const [shown, setShown] = useState<'create' | 'delete' | null>(null);
  const [selection, setSelection] = useState({ of: where, ids: NONE });
  // The selection applies to one list only.
  const selected = selection.of === where ? selection.ids : NONE;
  const select = (ids: ReadonlySet<string>) => setSelection({ of: where, ids });
  const query = useCallback(() => {
    const all = client.collection(collection).query();
    const found = where === '' ? all : all.whereUnchecked(where);
    const parsed = parseOrder(orderText);
    return parsed === null ? found : found.orderBy(parsed.by, parsed.direction);
  }, [client, collection, where, orderText]);
  const follow = useCallback(
    (listener: (rows: readonly StoredDocument[]) => void, handlers: LiveHandlers) =>
      query()
        .pageSize(ROWS)
        .live(listener, { limit: ROWS, ...handlers }),
    [query],
  );
  const readAll = useCallback((signal: AbortSignal) => pagesOf(query(), signal), [query]);
  const { loaded, page, toNext, toFirst } = usePages(query);
  const live = useLive(isLive ? follow : null);
  const isRefused = where !== '' && loaded.error !== null;
  const to = (change: { readonly where?: string; readonly order?: string; readonly live?: string }) =>
    go(['collections', collection], { where, order: orderText, live: isLive ? 'on' : '', ...change });
  return (
    <View
      title={collection}
      parents={[[hrefOf(['collections']), texts.collections.title]]}
      actions={
        <>
          <button type="button" className="main" onClick={() => setShown('create')}>
            {TEXTS.create}
          </button>
          <a className="button" href={hrefOf(['collections', collection, 'configuration'])}>
            {texts.collections.configuration}
          </a>
          <button type="button" className="danger" onClick={() => setShown('delete')}>
            {texts.collections.delete}
          </button>
        </>
      }
    >
      <FilterForm
        collection={collection}
        where={where}
        documents={live.rows ?? loaded.data?.rows ?? []}
        problem={isRefused ? messageOf(loaded.error) : null}
        onApply={(applied) => to({ where: applied })}
      />
      {!isRefused && (
        <>
          <button type="button" aria-pressed={isLive} onClick={() => to({ live: isLive ? '' : 'on' })}>
            {TEXTS.live}
          </button>{' '}
          <LiveStatus isLive={isLive} state={live.state} error={live.error} />
          <Loading loaded={loaded}>
            {({ rows, next }) => {
              const documents = live.rows ?? rows;
              return (
                <>
                  <BulkActions
                    collection={collection}
                    selected={selected}
                    readAll={readAll}
                    onChanged={(left) => {
                      select(new Set(left));
                      loaded.reload();
                    }}
                  />
                  {documents.length === 0 ? (
                    <p>{TEXTS.none}</p>
                  ) : (
                    <DocumentTable
                      collection={collection}
                      documents={documents}
                      order={parseOrder(orderText)}
                      onOrder={(asked) => to({ order: asked })}
                      selected={selected}
                      onSelect={select}
                    />
                  )}
                  {!isLive && <Pager page={page} next={next} onNext={toNext} onFirst={toFirst} />}
                </>
              );
            }}
          </Loading>
        </>
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

interface LiveStatusProps {
  readonly isLive: boolean;
  readonly state: LiveState;
  readonly error: unknown;
}

/** Status of the live query, with its failure. */
function LiveStatus({ isLive, state, error }: LiveStatusProps): ReactNode {
  return (
    <span role="status" className="dim">
      {isLive && TEXTS.liveStates[state]} {isLive && messageOf(error)}
    </span>
  );
}
