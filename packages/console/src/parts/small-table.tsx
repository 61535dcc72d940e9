import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { KEYBOARD } from './keyboard.ts';

interface SmallTableProps {
  readonly label: string;
  /** Titles of the columns; null: actions. A title in a list is one of numbers. */
  readonly heads: readonly (string | readonly [ofNumbers: string] | null)[];
  readonly children: ReactNode;
}

/** A short table inside a page, which scrolls separately in narrow windows, also with the keyboard. */
export function SmallTable({ label, heads, children }: SmallTableProps): ReactNode {
  return (
    <section className="table auto" aria-label={label} {...KEYBOARD}>
      <table>
        <thead>
          <tr>
            {heads.map((head) =>
              head === null ? (
                <td key="actions" className="menu-cell" aria-label={texts.actions} />
              ) : (
                <th key={String(head)} scope="col" className={typeof head === 'string' ? '' : 'number'}>
                  {typeof head === 'string' ? head : head[0]}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
