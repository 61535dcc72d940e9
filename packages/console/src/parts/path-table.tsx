import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
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
  readonly onRemove: (path: string) => Promise<void>;
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
            <Button
              kind="ghost"
              isSmall={true}
              disabled={isBusy}
              aria-label={removeOf(path)}
              onClick={() => onRemove(path)}
            >
              {texts.remove}
            </Button>
          </td>
        </tr>
      ))}
    </SmallTable>
  );
}
