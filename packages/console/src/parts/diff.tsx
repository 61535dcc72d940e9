import type { ReactNode } from 'react';
import { diffLines } from '../values/diff.ts';
import { KEYBOARD } from './keyboard.ts';

const TAGS = { same: 'span', removed: 'del', added: 'ins' } as const;
const MARKS = { same: '  ', removed: '- ', added: '+ ' } as const;

interface DiffProps {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** A line-by-line diff of two texts. */
export function Diff({ label, before, after }: DiffProps): ReactNode {
  let number = 0;
  return (
    <section aria-label={label}>
      <pre className="diff" {...KEYBOARD}>
        {diffLines(before, after).map(({ kind, text }) => {
          const Tag = TAGS[kind];
          return <Tag key={number++}>{`${MARKS[kind]}${text}\n`}</Tag>;
        })}
      </pre>
    </section>
  );
}
