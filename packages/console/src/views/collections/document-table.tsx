import { type ReactNode, useState } from 'react';
import { Columns } from '../../parts/columns.tsx';
import { Table } from '../../parts/view.tsx';
import { hrefOf } from '../../place.ts';
import { texts } from '../../texts.ts';
import { columnsOf, isSortable, nextOrder, type Order } from '../../values/documents.ts';
import { cellText, dateText } from '../../values/format.ts';
import type { JsonObject } from '../../values/json.ts';

const TEXTS = texts.documents;
/** Number of content members shown initially. */
const COLUMNS = 5;

interface DocumentTableProps {
  readonly collection: string;
  readonly documents: readonly (JsonObject & { readonly id: string })[];
  readonly order: Order | null;
  readonly onOrder: (order: string) => void;
  /** Ids of the selected documents, including those on other pages. */
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

interface HeadProps extends Pick<DocumentTableProps, 'order' | 'onOrder'> {
  readonly name: string;
  readonly text?: string;
}

const SORTS = { asc: 'ascending', desc: 'descending' } as const;
const MARKS = { asc: ' ↑', desc: ' ↓' } as const;

function Head({ name, text = name, order, onOrder }: HeadProps): ReactNode {
  if (!isSortable(name)) return <th scope="col">{text}</th>;
  const direction = order?.by === name ? order.direction : null;
  return (
    <th scope="col" aria-sort={direction === null ? 'none' : SORTS[direction]}>
      <button
        type="button"
        className="plain"
        title={TEXTS.sortBy(text)}
        onClick={() => onOrder(nextOrder(order, name))}
      >
        {text}
        <span aria-hidden="true">{direction === null ? '' : MARKS[direction]}</span>
      </button>
    </th>
  );
}

export function DocumentTable(props: DocumentTableProps): ReactNode {
  const { collection, documents, order, onOrder, selected, onSelect } = props;
  const all = columnsOf(documents);
  const [chosen, setChosen] = useState<readonly string[] | null>(null);
  const columns = chosen === null ? all.slice(0, COLUMNS) : all.filter((name) => chosen.includes(name));
  const areAllSelected = documents.every(({ id }) => selected.has(id));
  function select(ids: readonly string[], isSelected: boolean): void {
    const next = new Set(selected);
    for (const id of ids) {
      if (isSelected) next.add(id);
      else next.delete(id);
    }
    onSelect(next);
  }
  return (
    <>
      <Columns title={TEXTS.columns} all={all} chosen={columns} onChange={setChosen} />
      <Table label={texts.collections.documents}>
        <thead>
          <tr>
            <td className="check">
              <input
                type="checkbox"
                aria-label={TEXTS.bulk.selectPage}
                checked={areAllSelected}
                onChange={({ target }) =>
                  select(
                    documents.map(({ id }) => id),
                    target.checked,
                  )
                }
              />
            </td>
            <th scope="col">{TEXTS.id}</th>
            {columns.map((name) => (
              <Head key={name} name={name} order={order} onOrder={onOrder} />
            ))}
            <Head name="_author" text={TEXTS.author} order={order} onOrder={onOrder} />
            <Head name="_update_date" text={TEXTS.changed} order={order} onOrder={onOrder} />
          </tr>
        </thead>
        <tbody>
          {documents.map((document) => (
            <tr key={document.id}>
              <td className="check">
                <input
                  type="checkbox"
                  aria-label={TEXTS.bulk.select(document.id)}
                  checked={selected.has(document.id)}
                  onChange={({ target }) => select([document.id], target.checked)}
                />
              </td>
              <th scope="row">
                <a className="id" href={hrefOf(['collections', collection, document.id])}>
                  {document.id}
                </a>
              </th>
              {columns.map((name) => (
                <td key={name}>{cellText(document[name])}</td>
              ))}
              <td>{cellText(document._author)}</td>
              <td>{dateText(String(document._update_date))}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
