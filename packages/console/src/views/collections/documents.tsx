import { isBaobabError, type LiveHandlers, type LiveState } from '@baobab/client';
import { useQueryClient } from '@tanstack/react-query';
import { Download, Plus, RefreshCw } from 'lucide-react';
import { type ReactNode, useCallback, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ColumnsMenu } from '../../parts/columns-menu.tsx';
import { EmptyList } from '../../parts/empty-list.tsx';
import { messageOf } from '../../parts/failure.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useService } from '../../parts/service.ts';
import { useTableLayout } from '../../parts/table-layout.ts';
import { useLive } from '../../parts/use-live.ts';
import { ROWS, usePages } from '../../parts/use-pages.ts';
import { Loading, View } from '../../parts/view.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { useLoad } from '../../use-load.ts';
import { columnsOf, defaultColumns, parseOrder } from '../../values/documents.ts';
import { pagesOf } from './bulk.ts';
import { type BulkAction, BulkActions } from './bulk-actions.tsx';
import { CollectionTabs, parentsOf } from './collection-tabs.tsx';
import { DocumentDrawer } from './document-drawer.tsx';
import { columnTitle, DocumentTable, SERVER_COLUMNS } from './document-table.tsx';
import { FilterForm } from './filter-form.tsx';
import { NewDocument } from './new-document.tsx';
import { SearchForm } from './search-form.tsx';
import type { StoredDocument } from './stored-document.ts';

const TEXTS = texts.documents;
const NONE: ReadonlySet<string> = new Set();

interface DocumentsProps {
  readonly collection: string;
  /** Id of the open document. */
  readonly open: string | undefined;
  /** Words to search for. */
  readonly search: string;
  /** A filter in the query language. */
  readonly where: string;
  /** Order, such as `title desc`. */
  readonly order: string;
  /** True if the first rows are kept up to date. */
  readonly isLive: boolean;
  /** True if the form for a new document is open. */
  readonly isCreating: boolean;
}

/** The list of the documents: a query, the page of it on screen, and the number of all its rows. */
function useDocuments({ collection, search, where, order, isLive }: Omit<DocumentsProps, 'open' | 'isCreating'>) {
  const { client } = useService();
  const query = useCallback(() => {
    const all = client.collection(collection).query();
    const matching = where === '' ? all : all.whereUnchecked(where);
    const found = search === '' ? matching : matching.search(search);
    const parsed = parseOrder(order);
    return parsed === null ? found : found.orderBy(parsed.by, parsed.direction);
  }, [client, collection, search, where, order]);
  const follow = useCallback(
    (listener: (rows: readonly StoredDocument[]) => void, handlers: LiveHandlers) =>
      query()
        .pageSize(ROWS)
        .live(listener, { limit: ROWS, ...handlers }),
    [query],
  );
  const pages = usePages(['documents', collection, search, where, order], query);
  // Counted separately, because the server reads every document for it.
  const total = useLoad(['documents', collection, search, where, 'count'], (signal) => query().count({ signal }));
  const live = useLive(isLive ? follow : null);
  return { query, pages, total, live };
}

/** The documents of a collection, page by page, or the first ones live. One of them may be open in a drawer. */
export function Documents(props: DocumentsProps): ReactNode {
  const { collection, open, search, where, order, isCreating } = props;
  // The server does not search in live queries.
  const isLive = props.isLive && search === '';
  const store = useQueryClient();
  const { query, pages, total, live } = useDocuments({ ...props, isLive });
  const { loaded } = pages;
  const [asked, setAsked] = useState<BulkAction | null>(null);
  const [selection, setSelection] = useState({ of: '', ids: NONE });
  // The selection applies to one list only.
  const list = `${search}\n${where}`;
  const selected = selection.of === list ? selection.ids : NONE;
  const select = (ids: ReadonlySet<string>) => setSelection({ of: list, ids });
  const readAll = useCallback((signal: AbortSignal) => pagesOf(query(), signal), [query]);
  const isMissing = isBaobabError(loaded.error, 'collection.not_found');
  const isRefused = list !== '\n' && loaded.error !== null;
  const problem = isRefused ? messageOf(loaded.error) : null;
  const place = { search, where, order, live: isLive ? 'on' : '' };
  const to = (change: Partial<typeof place>) => go(['collections', collection], { ...place, ...change });
  const create = () => go(['collections', collection], { ...place, new: 'on' });
  const documents = live.rows ?? loaded.data?.rows ?? [];
  const [layout, changeLayout] = useTableLayout(`collections/${collection}`);
  const all = [...columnsOf(documents), ...SERVER_COLUMNS];
  const columns = layout.columns?.filter((name) => all.includes(name)) ?? defaultColumns(documents);

  function changed(): void {
    void store.invalidateQueries({ queryKey: ['documents', collection] });
    void store.invalidateQueries({ queryKey: ['collections'] });
  }

  return (
    <View
      title={collection}
      parents={parentsOf()}
      isFull={true}
      actions={
        !isMissing && (
          <Button kind="primary" icon={Plus} onClick={create}>
            {TEXTS.create}
          </Button>
        )
      }
      tabs={<CollectionTabs collection={collection} current="documents" />}
    >
      <div className="toolbar">
        <SearchForm
          collection={collection}
          search={search}
          problem={where === '' ? problem : null}
          onSearch={(words) => to({ search: words })}
        />
        <FilterForm
          collection={collection}
          where={where}
          documents={documents}
          problem={where === '' ? null : problem}
          onApply={(applied) => to({ where: applied })}
        />
        <ColumnsMenu
          all={all}
          chosen={columns}
          titleOf={columnTitle}
          onChange={(chosen) => changeLayout({ columns: chosen })}
        />
        <Button
          icon={RefreshCw}
          aria-label={TEXTS.live}
          aria-pressed={isLive}
          disabled={search !== ''}
          onClick={() => to({ live: isLive ? '' : 'on' })}
        >
          {TEXTS.live}
        </Button>
        <Button
          icon={Download}
          aria-label={TEXTS.bulk.export}
          onClick={() => setAsked({ kind: 'export', open: readAll })}
        >
          {TEXTS.bulk.export}
        </Button>
      </div>
      {!isRefused && (
        <>
          <LiveStatus isLive={isLive} state={live.state} error={live.error} />
          <Loading loaded={loaded}>
            {() =>
              documents.length === 0 ? (
                <EmptyList
                  texts={TEXTS}
                  onClear={list === '\n' ? null : () => to({ search: '', where: '' })}
                  onCreate={create}
                />
              ) : (
                <DocumentTable
                  collection={collection}
                  documents={documents}
                  columns={columns.length === 0 ? ['id'] : columns}
                  query={place}
                  order={parseOrder(order)}
                  onOrder={(by) => to({ order: by })}
                  selected={selected}
                  onSelect={select}
                  onDelete={(ids) => setAsked({ kind: 'delete', ids })}
                />
              )
            }
          </Loading>
          {!isLive && <Pager pages={pages} total={total.data} />}
        </>
      )}
      <BulkActions
        collection={collection}
        selected={selected}
        asked={asked}
        onAsk={setAsked}
        onChanged={(left) => {
          select(new Set(left));
          changed();
        }}
      />
      {isCreating && (
        <NewDocument
          collection={collection}
          onClose={() => go(['collections', collection], place)}
          onCreated={changed}
        />
      )}
      {open !== undefined && (
        <DocumentDrawer
          key={open}
          collection={collection}
          id={open}
          neighbors={documents.map(({ id }) => id)}
          query={place}
          onChanged={changed}
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
  if (!isLive) return null;
  return (
    <span role="status" className="meta">
      {TEXTS.liveStates[state]} {messageOf(error)}
    </span>
  );
}
