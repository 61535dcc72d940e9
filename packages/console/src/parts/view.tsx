import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { texts } from '../texts.ts';
import type { Loaded } from '../use-load.ts';
import { Failure } from './failure.tsx';
import { KEYBOARD } from './keyboard.ts';

interface ViewProps {
  readonly title: string;
  /** Links back to the parent views. */
  readonly parents?: readonly (readonly [href: string, text: string])[];
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

const CodeDialog = lazy(async () => ({ default: (await import('./code-dialog.tsx')).CodeDialog }));

/** Displays the requests of the view as code. */
function ShowCode(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {texts.code.show}
      </button>
      <Suspense>{isOpen && <CodeDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** A view. Its title is also the title of the browser tab. */
export function View({ title, parents = [], actions, children }: ViewProps): ReactNode {
  useEffect(() => {
    document.title = `${title} – ${texts.title}`;
  }, [title]);
  return (
    <>
      <header className="view">
        <h1 tabIndex={-1}>
          {parents.map(([href, text]) => (
            <span key={href}>
              <a href={href}>{text}</a> <span aria-hidden="true">›</span>{' '}
            </span>
          ))}
          {title}
        </h1>
        <div className="row">
          {actions}
          <ShowCode />
        </div>
      </header>
      {children}
    </>
  );
}

interface LoadingProps<T> {
  readonly loaded: Loaded<T>;
  readonly children: (data: T) => ReactNode;
}

/** Loaded content; before that a progress message, or the failure. */
export function Loading<T>({ loaded, children }: LoadingProps<T>): ReactNode {
  const { data, error, isLoading } = loaded;
  return (
    <div aria-busy={isLoading}>
      {isLoading && data === null && <p role="status">{texts.loading}</p>}
      <Failure error={error} />
      {data !== null && children(data)}
    </div>
  );
}

/** A table that scrolls separately in narrow windows, also with the keyboard. */
export function Table({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <section className="scroll" aria-label={label} {...KEYBOARD}>
      <table>{children}</table>
    </section>
  );
}

interface PagerProps {
  readonly page: number;
  readonly next: string | null;
  readonly onNext: (cursor: string) => void;
  readonly onFirst: () => void;
}

/** Cursor pagination, without a total. */
export function Pager({ page, next, onNext, onFirst }: PagerProps): ReactNode {
  if (page === 1 && next === null) return null;
  return (
    <div className="row pager">
      <button type="button" onClick={onFirst} disabled={page === 1}>
        {texts.pages.first}
      </button>
      <span role="status">{texts.pages.number(page)}</span>
      <button type="button" onClick={() => next !== null && onNext(next)} disabled={next === null}>
        {texts.pages.next}
      </button>
    </div>
  );
}
