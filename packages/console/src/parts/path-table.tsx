import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { RowAction } from './row-action.tsx';
import { SmallTable } from './small-table.tsx';

const TEXTS = texts.indexes;

interface PathRow {
  readonly path: string;
  /** Content of the columns after the path. */
  readonly cells: readonly ReactNode[];
}

interface PathTableProps {
  readonly label: string;
  /** Titles of the columns after the path. */
  readonly heads: readonly string[];
  readonly rows: readonly PathRow[];
  readonly isBusy: boolean;
  /** Accessible name of the button that removes a path. */
  readonly removeOf: (path: string) => string;
  readonly onRemove: (path: string) => unknown;
}

/** Paths with their properties, and a button that removes each. */
export function PathTable({ label, heads, rows, isBusy, removeOf, onRemove }: PathTableProps): ReactNode {
  return (
    <SmallTable label={label} heads={[TEXTS.path, ...heads, null]}>
      {rows.map(({ path, cells }) => (
        <tr key={path}>
          <th scope="row">
            <code>{path}</code>
          </th>
          {cells.map((cell, at) => (
            <td key={heads[at]}>{cell}</td>
          ))}
          <td className="tools">
            <RowAction label={removeOf(path)} isBusy={isBusy} act={() => onRemove(path)}>
              {texts.remove}
            </RowAction>
          </td>
        </tr>
      ))}
    </SmallTable>
  );
}
