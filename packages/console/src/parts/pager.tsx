import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { numberText } from '../values/format.ts';
import { IconButton } from './button.tsx';
import type { Pages } from './use-pages.ts';

interface PagerProps<R> {
  readonly pages: Pages<R>;
  /** Number of rows on all pages; null: unknown. */
  readonly total?: number | null;
}

/** Range of the rows on screen, and buttons for the other pages. */
export function Pager<R>({ pages, total = null }: PagerProps<R>): ReactNode {
  const { loaded, page, first, toNext, toPrevious } = pages;
  const { rows = [], next = null } = loaded.data ?? {};
  if (rows.length === 0 && page === 1) return null;
  const last = first + rows.length;
  const known = total ?? (next === null ? last : null);
  const [from, to] = [numberText(Math.min(first + 1, last)), numberText(last)];
  return (
    <div className="pager">
      <span role="status">
        {known === null ? texts.pages.range(from, to) : texts.pages.of(from, to, numberText(known))}
      </span>
      <IconButton icon={ChevronLeft} label={texts.pages.previous} disabled={page === 1} onClick={toPrevious} />
      <IconButton
        icon={ChevronRight}
        label={texts.pages.next}
        disabled={next === null}
        onClick={() => next !== null && toNext(next)}
      />
    </div>
  );
}
