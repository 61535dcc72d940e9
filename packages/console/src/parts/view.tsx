import { Code, Menu as MenuIcon } from 'lucide-react';
import { createContext, lazy, type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { hrefOf } from '../address.ts';
import { texts } from '../texts.ts';
import type { Loaded } from '../use-load.ts';
import { Button, IconButton, LinkButton } from './button.tsx';
import { Failure, isUnreachable } from './failure.tsx';
import { type MenuEntry, MoreMenu } from './menu.tsx';
import { useIsReachable } from './service.ts';

/** Opens the navigation of narrow windows. */
export const NavigationContext = createContext<() => void>(() => undefined);

/** Address and title of a parent view. */
export type Parent = readonly [href: string, text: string];

interface ViewProps {
  readonly title: string;
  readonly parents?: readonly Parent[];
  /** The most important action of the page. */
  readonly actions?: ReactNode;
  /** Other actions, behind ⋯. */
  readonly menu?: readonly MenuEntry[];
  /** Links to the parts of the page. */
  readonly tabs?: ReactNode;
  /** True if a table of the page scrolls instead of the page. */
  readonly isFull?: boolean;
  readonly children: ReactNode;
}

const CodeDialog = lazy(async () => ({ default: (await import('./code-dialog.tsx')).CodeDialog }));

/** Displays the requests of the view as code. */
function ShowCode(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="ghost" icon={Code} aria-label={texts.code.show} onClick={() => setOpen(true)}>
        {texts.code.show}
      </Button>
      <Suspense>{isOpen && <CodeDialog onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

/** A view below a bar with its title and actions. Its title is also the title of the browser tab. */
export function View(props: ViewProps): ReactNode {
  const { title, parents = [], actions, menu = [], tabs, isFull = false, children } = props;
  const openNavigation = use(NavigationContext);
  useEffect(() => {
    document.title = `${title} – ${texts.title}`;
  }, [title]);
  return (
    <>
      <header className="top-bar">
        <span className="menu-button">
          <IconButton icon={MenuIcon} label={texts.frame.openNavigation} onClick={openNavigation} />
        </span>
        <div className="crumbs">
          {parents.map(([href, text]) => (
            <span key={href}>
              <a href={href}>{text}</a>
              <span className="separator" aria-hidden="true">
                /
              </span>
            </span>
          ))}
          <h1 tabIndex={-1} title={title}>
            {title}
          </h1>
        </div>
        <div className="actions">
          {actions}
          <ShowCode />
          {menu.length > 0 && <MoreMenu entries={menu} />}
        </div>
      </header>
      {tabs}
      <div className={isFull ? 'page fill' : 'page'} tabIndex={-1} id="content">
        {children}
      </div>
    </>
  );
}

interface PageTabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly href: string; readonly text: string; readonly isCurrent: boolean }[];
}

/** Scrolls to the current one of links that do not fit on a phone. */
export function showCurrent(links: HTMLElement | null): void {
  const current = links?.querySelector('[aria-current]');
  if (links === null || current == null) return;
  const [outer, inner] = [links.getBoundingClientRect(), current.getBoundingClientRect()];
  // Unlike `scrollIntoView`, this keeps the start of keyboard navigation.
  links.scrollBy(inner.left - outer.left - (outer.width - inner.width) / 2, 0);
}

/** Links to the parts of a page. */
export function PageTabs({ label, tabs }: PageTabsProps): ReactNode {
  return (
    <nav className="page-tabs tabs" aria-label={label} ref={showCurrent}>
      {tabs.map(({ href, text, isCurrent }) => (
        <a key={href} className="tab" href={href} aria-current={isCurrent ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

interface SectionProps {
  readonly title: string;
  readonly about?: string;
  readonly isCard?: boolean;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export function Section({ title, about, isCard = false, children }: SectionProps): ReactNode {
  return (
    <section className={isCard ? 'card' : 'section'} aria-label={title}>
      <h2>{title}</h2>
      {about !== undefined && <p className="muted">{about}</p>}
      {children}
    </section>
  );
}

interface EmptyStateProps {
  readonly title: string;
  readonly about?: string | undefined;
  readonly children?: ReactNode;
}

/** Content of an empty list: a title, an explanation and a first action. */
export function EmptyState({ title, about, children }: EmptyStateProps): ReactNode {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {about !== undefined && <p>{about}</p>}
      {children}
    </div>
  );
}

export const NotFound = (): ReactNode => (
  <View title={texts.notFound.title}>
    <EmptyState title={texts.notFound.title} about={texts.notFound.about}>
      <LinkButton href={hrefOf(['overview'])}>{texts.frame.overview}</LinkButton>
    </EmptyState>
  </View>
);

const LINES = ['a', 'b', 'c', 'd', 'e', 'f'];

export function Skeleton(): ReactNode {
  return (
    <div className="skeleton" role="status" aria-label={texts.loading}>
      {LINES.map((line) => (
        <span key={line} />
      ))}
    </div>
  );
}

interface LoadingProps<T> {
  readonly loaded: Loaded<T>;
  readonly children: (data: T) => ReactNode;
}

/**
 * Loaded content; before that a skeleton, or the failure. A banner above says that the server does not answer, and the
 * page loads again when it does.
 */
export function Loading<T>({ loaded, children }: LoadingProps<T>): ReactNode {
  const { data, error, isLoading, reload } = loaded;
  const isWaiting = !useIsReachable() && isUnreachable(error);
  return (
    <div className="loaded stack" aria-busy={isLoading}>
      {(isLoading || isWaiting) && data === null && <Skeleton />}
      {!isWaiting && <Failure error={error} onRetry={reload} />}
      {data !== null && children(data)}
    </div>
  );
}
