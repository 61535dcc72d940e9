import { ArrowDown, ArrowUp } from 'lucide-react';
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
} from 'react';
import { texts } from '../texts.ts';
import { ownOf } from '../values/own.ts';
import { KEYBOARD } from './keyboard.ts';
import { type MenuEntry, MoreMenu } from './menu.tsx';
import { type TableLayout, useTableLayout } from './table-layout.ts';

export interface Column<R> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: R) => ReactNode;
  readonly isNumber?: boolean;
  /** True to show long texts in several lines. */
  readonly wraps?: boolean;
  /** Default width in pixels. */
  readonly width?: number;
  readonly sort?: { readonly direction: 'asc' | 'desc' | null; readonly toggle: () => void };
}

interface Selection<R> {
  /** Keys of the selected rows, including those on other pages. */
  readonly keys: ReadonlySet<string>;
  readonly onChange: (keys: ReadonlySet<string>) => void;
  readonly labelOf: (row: R) => string;
  readonly labelOfAll: string;
  /** Called when the user presses Delete while rows are selected. */
  readonly onDelete: () => void;
}

interface DataTableProps<R> {
  readonly label: string;
  /** Name under which the browser remembers the widths of the columns. */
  readonly name: string;
  /** The first one is the title of the row, which usually links to it. */
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
  readonly selection?: Selection<R>;
  /** Entries of the menu of a row. */
  readonly menuOf?: (row: R) => readonly MenuEntry[];
  readonly menuLabelOf?: (row: R) => string;
}

const WIDTH = { title: 260, number: 110, other: 170 } as const;
const SELECT_WIDTH = 40;
const TOOLS_WIDTH = 48;
const LEAST_WIDTH = 64;
/** Columns on a phone, besides the title. */
const ON_PHONE = 3;

const ICONS = { asc: ArrowUp, desc: ArrowDown } as const;
const SORTS = { asc: 'ascending', desc: 'descending' } as const;

const widthOf = <R,>({ id, width, isNumber = false }: Column<R>, index: number, layout: TableLayout) =>
  ownOf(layout.widths, id) ?? width ?? (index === 0 ? WIDTH.title : isNumber ? WIDTH.number : WIDTH.other);

function withKeys(keys: ReadonlySet<string>, changed: readonly string[], isIn: boolean): ReadonlySet<string> {
  const next = new Set(keys);
  for (const key of changed) {
    if (isIn) next.add(key);
    else next.delete(key);
  }
  return next;
}

/** Moves the focus between rows with j, k and arrow keys, and between column titles; the space bar selects a row. */
function onTableKey(event: KeyboardEvent<HTMLElement>): void {
  const target = event.target as HTMLElement;
  if (target.matches('input[type=text], input[type=search], textarea, select')) return;
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const row = target.closest('tbody tr');
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  const side = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (side !== undefined && target.matches('.sort')) {
    const heads = [...event.currentTarget.querySelectorAll<HTMLElement>('.sort')];
    heads[heads.indexOf(target) + side]?.focus();
  } else if (step !== undefined) {
    const rows = [...event.currentTarget.querySelectorAll('tbody tr')];
    const next = row === null ? rows[0] : rows[rows.indexOf(row) + step];
    const link = next?.querySelector<HTMLElement>('th a, th button');
    if (link == null) return;
    event.preventDefault();
    link.focus();
    next?.scrollIntoView({ block: 'nearest' });
  } else if (event.key === ' ' && row !== null && target.matches('a')) {
    event.preventDefault();
    row.querySelector<HTMLInputElement>('.select input')?.click();
  }
}

/** Opens the row under the pointer. Controls in it keep their own effect. */
function onRowClick(event: MouseEvent<HTMLElement>): void {
  if ((event.target as HTMLElement).closest('a, button, input, select, label') !== null) return;
  if (globalThis.getSelection()?.isCollapsed === false) return;
  event.currentTarget.querySelector<HTMLElement>('th a')?.click();
}

interface HeadProps<R> {
  readonly column: Column<R>;
  readonly isFirst: boolean;
  readonly onWidth: (width: number) => void;
}

/** Changes the width of a column while the pointer moves. */
function Grip({ onWidth }: { readonly onWidth: (width: number) => void }): ReactNode {
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null);
  function begin(event: PointerEvent<HTMLElement>): void {
    const width = event.currentTarget.parentElement?.offsetWidth ?? 0;
    start.current = { x: event.clientX, width };
    event.currentTarget.setPointerCapture(event.pointerId);
  }
  return (
    <span
      className="grip"
      aria-hidden="true"
      onPointerDown={begin}
      onPointerMove={({ clientX }) => {
        if (start.current !== null) onWidth(Math.max(LEAST_WIDTH, start.current.width + clientX - start.current.x));
      }}
      onPointerUp={() => {
        start.current = null;
      }}
    />
  );
}

function Head<R>({ column, isFirst, onWidth }: HeadProps<R>): ReactNode {
  const { title, sort, isNumber = false } = column;
  const className = [isNumber && 'number', isFirst && 'sticky'].filter(Boolean).join(' ');
  if (sort === undefined) {
    return (
      <th scope="col" className={className}>
        {title}
        <Grip onWidth={onWidth} />
      </th>
    );
  }
  const Icon = sort.direction === null ? null : ICONS[sort.direction];
  return (
    <th scope="col" className={className} aria-sort={sort.direction === null ? 'none' : SORTS[sort.direction]}>
      <button
        type="button"
        className="sort"
        title={texts.table.sortBy(title)}
        // The arrow keys lead to the others, so that the rows are near.
        tabIndex={isFirst ? 0 : -1}
        onClick={sort.toggle}
      >
        <span className="name">{title}</span>
        {Icon !== null && <Icon size={12} aria-hidden={true} />}
      </button>
      <Grip onWidth={onWidth} />
    </th>
  );
}

interface RowProps<R> extends Omit<DataTableProps<R>, 'label' | 'name' | 'rows'> {
  readonly row: R;
}

function Row<R>({ row, columns, keyOf, selection, menuOf, menuLabelOf }: RowProps<R>): ReactNode {
  const key = keyOf(row);
  const isSelected = selection?.keys.has(key) === true;
  const entries = menuOf?.(row) ?? [];
  return (
    <tr onClick={onRowClick} data-selected={isSelected ? '' : undefined}>
      {selection !== undefined && (
        <td className="select sticky">
          <input
            type="checkbox"
            aria-label={selection.labelOf(row)}
            checked={isSelected}
            onChange={({ target }) => selection.onChange(withKeys(selection.keys, [key], target.checked))}
          />
        </td>
      )}
      {columns.map(({ id, title, cell, isNumber, wraps }, index) =>
        index === 0 ? (
          <th key={id} scope="row" className={wraps ? 'sticky wraps' : 'sticky'}>
            {cell(row)}
          </th>
        ) : (
          <td
            key={id}
            data-title={title}
            className={[isNumber && 'number', wraps && 'wraps', index > ON_PHONE && 'extra'].filter(Boolean).join(' ')}
          >
            {cell(row)}
          </td>
        ),
      )}
      {menuOf !== undefined && (
        <td className="tools">
          {entries.length > 0 && <MoreMenu label={menuLabelOf?.(row) ?? texts.more} entries={entries} isSmall={true} />}
        </td>
      )}
    </tr>
  );
}

/** A table with resizable columns. On a phone, its rows are cards. */
export function DataTable<R>(props: DataTableProps<R>): ReactNode {
  const { label, name, columns, rows, keyOf, selection, menuOf } = props;
  const [layout, change] = useTableLayout(name);
  const widths = columns.map((column, index) => widthOf(column, index, layout));
  const selectWidth = selection === undefined ? 0 : SELECT_WIDTH;
  const toolsWidth = menuOf === undefined ? 0 : TOOLS_WIDTH;
  const whole = widths.reduce((sum, width) => sum + width, selectWidth + toolsWidth);
  // Focused cells must not be scrolled below the columns at the edges.
  const edges = `${selectWidth + (widths[0] ?? 0)}px ${toolsWidth}px`;
  const keys = rows.map(keyOf);
  function onKey(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === 'Delete' && selection !== undefined && selection.keys.size > 0) selection.onDelete();
    else onTableKey(event);
  }
  return (
    <section
      className="table"
      style={{ scrollPaddingInline: edges }}
      aria-label={label}
      onKeyDown={onKey}
      {...KEYBOARD}
    >
      <table style={{ '--table-width': `${whole}px` } as CSSProperties}>
        <colgroup>
          {selection !== undefined && <col style={{ width: SELECT_WIDTH }} />}
          {columns.map(({ id }, index) => (
            <col key={id} style={{ width: widths[index] }} />
          ))}
          {menuOf !== undefined && <col style={{ width: TOOLS_WIDTH }} />}
        </colgroup>
        <thead>
          <tr>
            {selection !== undefined && (
              <td className="select sticky">
                <input
                  type="checkbox"
                  aria-label={selection.labelOfAll}
                  checked={keys.length > 0 && keys.every((key) => selection.keys.has(key))}
                  onChange={({ target }) => selection.onChange(withKeys(selection.keys, keys, target.checked))}
                />
              </td>
            )}
            {columns.map((column, index) => (
              <Head
                key={column.id}
                column={column}
                isFirst={index === 0}
                onWidth={(width) => change({ widths: { ...layout.widths, [column.id]: width } })}
              />
            ))}
            {menuOf !== undefined && <td className="tools" aria-label={texts.actions} />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={keyOf(row)} {...props} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
