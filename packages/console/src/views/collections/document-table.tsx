import { Braces, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { hrefOf, type PlaceQuery } from '../../address.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Age, ShortId, Value } from '../../parts/values.tsx';
import { go } from '../../place.ts';
import { texts } from '../../texts.ts';
import { isNarrowColumn, isNumberColumn, isSortable, nextOrder, type Order } from '../../values/documents.ts';
import { cellText } from '../../values/format.ts';
import { ownOf } from '../../values/own.ts';
import { Reference, type References, useReferences } from './references.tsx';
import type { StoredDocument } from './stored-document.ts';

const TEXTS = texts.documents;
/** Width of columns with short values, in pixels. */
const NARROW = 124;

/** Columns of every document, after those of the content. */
export const SERVER_COLUMNS = ['_author', '_creation_date', '_update_date', 'id'] as const;

const TITLES: Readonly<Record<string, string>> = {
  _author: TEXTS.author,
  _creation_date: TEXTS.created,
  _update_date: TEXTS.changed,
  id: TEXTS.id,
};

export const columnTitle = (name: string): string => ownOf(TITLES, name) ?? name;

interface DocumentTableProps {
  readonly collection: string;
  readonly documents: readonly StoredDocument[];
  /** Chosen columns. The first one is the title and links to the document. */
  readonly columns: readonly string[];
  /** Query of the list, which stays in the address of a document. */
  readonly query: PlaceQuery;
  readonly order: Order | null;
  readonly onOrder: (order: string) => void;
  /** Ids of the selected documents, including those on other pages. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly onDelete: (ids: readonly string[]) => void;
}

const isNarrow = (documents: readonly StoredDocument[], name: string) =>
  SERVER_COLUMNS.some((one) => one === name) || isNarrowColumn(documents, name);

function cellOf(document: StoredDocument, name: string, references: References): ReactNode {
  if (name === 'id') return <ShortId id={document.id} />;
  if (name === '_creation_date' || name === '_update_date') return <Age date={String(document[name])} />;
  const { _author: author } = document;
  if (name === '_author') return author !== null && <a href={hrefOf(['users', author])}>{author}</a>;
  return (
    <Reference name={name} expanded={ownOf(references.get(document.id) ?? {}, name)}>
      <Value name={name} value={ownOf(document, name)} />
    </Reference>
  );
}

/** Text of the title of a row. */
const titleOf = (document: StoredDocument, name: string | undefined) =>
  (name === undefined ? '' : cellText(ownOf(document, name))) || document.id;

/** The documents of one page. */
export function DocumentTable(props: DocumentTableProps): ReactNode {
  const { collection, documents, columns, query, order, onOrder, selected, onSelect, onDelete } = props;
  const [title] = columns;
  const references = useReferences(collection, documents);
  const sortOf = (name: string) =>
    isSortable(name)
      ? {
          sort: {
            direction: order?.by === name ? order.direction : null,
            toggle: () => onOrder(nextOrder(order, name)),
          },
        }
      : {};
  const shown = columns.map(
    (name, index): Column<StoredDocument> => ({
      id: name,
      title: columnTitle(name),
      isNumber: isNumberColumn(documents, name),
      ...(index > 0 && isNarrow(documents, name) ? { width: NARROW } : {}),
      ...sortOf(name),
      cell: (document) =>
        index === 0 ? (
          <a href={hrefOf(['collections', collection, document.id], query)}>{titleOf(document, name)}</a>
        ) : (
          cellOf(document, name, references)
        ),
    }),
  );
  return (
    <DataTable
      label={texts.collections.documents}
      name={`collections/${collection}`}
      columns={shown}
      rows={documents}
      keyOf={({ id }) => id}
      selection={{
        keys: selected,
        onChange: onSelect,
        labelOf: (document) => TEXTS.bulk.select(titleOf(document, title)),
        labelOfAll: TEXTS.bulk.selectPage,
        onDelete: () => onDelete([...selected]),
      }}
      menuLabelOf={(document) => TEXTS.menuOf(titleOf(document, title))}
      menuOf={({ id }) => [
        { text: TEXTS.open, icon: Braces, act: () => go(['collections', collection, id], query) },
        { text: TEXTS.delete, icon: Trash2, isDanger: true, act: () => onDelete([id]) },
      ]}
    />
  );
}
