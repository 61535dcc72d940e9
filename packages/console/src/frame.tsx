import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { parsePlace, type ViewAddress } from './address.ts';
import { Unreachable } from './banner.tsx';
import { AskToLeave } from './leaving.tsx';
import { lazyView } from './parts/boundary.tsx';
import { Button } from './parts/button.tsx';
import { useIsReachable } from './parts/service.ts';
import { NavigationContext, NotFound } from './parts/view.tsx';
import { useHash } from './place.ts';
import { commandsOf, NarrowSidebar, Sidebar } from './sidebar.tsx';
import { texts } from './texts.ts';
import { createStore } from './use-load.ts';
import { ownOf } from './values/own.ts';

export interface ViewOfPlaceProps {
  readonly place: ViewAddress;
}

/** Views by the first segment of their path. Each is loaded when opened. */
const VIEWS: Readonly<Record<string, ReturnType<typeof lazyView<ViewOfPlaceProps>>>> = {
  overview: lazyView(async () => (await import('./views/overview/overview.tsx')).Overview),
  health: lazyView(async () => (await import('./views/health/health.tsx')).Health),
  users: lazyView(async () => (await import('./views/users/users.tsx')).Users),
  collections: lazyView(async () => (await import('./views/collections/collections.tsx')).Collections),
  files: lazyView(async () => (await import('./views/files/files.tsx')).Files),
  assets: lazyView(async () => (await import('./views/assets/assets.tsx')).Assets),
  groups: lazyView(async () => (await import('./views/groups/groups.tsx')).Groups),
  indexes: lazyView(async () => (await import('./views/indexes/indexes.tsx')).Indexes),
  webhooks: lazyView(async () => (await import('./views/webhooks/webhooks.tsx')).Webhooks),
  keys: lazyView(async () => (await import('./views/keys/keys.tsx')).Keys),
  settings: lazyView(async () => (await import('./views/settings/settings.tsx')).Settings),
  roles: lazyView(async () => (await import('./views/roles/roles.tsx')).Roles),
  logs: lazyView(async () => (await import('./views/logs/logs.tsx')).Logs),
  access: lazyView(async () => (await import('./views/access/access.tsx')).Access),
  audit: lazyView(async () => (await import('./views/audit/audit.tsx')).Audit),
  push: lazyView(async () => (await import('./views/push/push.tsx')).Push),
};
const START = 'overview';

const loadPalette = async () => ({ default: (await import('./views/palette/palette.tsx')).Palette });
const Palette = lazy(loadPalette);

/** Moves the focus to the table of the view, or to all of its content. */
function focusContent(main: HTMLElement | null): void {
  // Only visible tables that keys control can be focused.
  const tables = Array.from(main?.querySelectorAll<HTMLElement>('.table[tabindex]') ?? []);
  const table = tables.find((one) => one.checkVisibility());
  (table ?? main?.querySelector<HTMLElement>('#content') ?? main)?.focus();
}

/** Moves the focus to the new view, so that keyboards and screen readers continue there. */
function useFocusOn(section: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(section);
  useEffect(() => {
    if (section === shown.current) return;
    shown.current = section;
    main.current?.focus();
    scrollTo(0, 0);
  }, [section]);
  return main;
}

/** State of the command palette. Ctrl-K, or Command-K, toggles it. */
function usePalette(main: RefObject<HTMLElement | null>) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    // Keys pressed right after Ctrl-K would be lost while the palette loads. If this fails, opening it tries again.
    loadPalette().catch(() => {});
    function onKey(event: KeyboardEvent): void {
      // Ignored behind the sign-in page.
      if (main.current === null || main.current.closest('[hidden]') !== null) return;
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault();
      setOpen((before) => !before);
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [main]);
  return [isOpen, setOpen] as const;
}

/** Creates the store of loaded data. Calls that failed are repeated when the server answers again. */
function useStore() {
  const [store] = useState(createStore);
  const isReachable = useIsReachable();
  useEffect(() => {
    if (isReachable) void store.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  }, [isReachable, store]);
  return store;
}

/** The view that contains the document of a place keeps the focus when the document opens. */
const focusKeyOf = ({ path }: ViewAddress) => (path[0] === 'collections' ? path.slice(0, 2) : path).join('/');

export function Frame({ onSignOut }: { readonly onSignOut: () => Promise<void> }): ReactNode {
  const place = parsePlace(useHash());
  const [section = START] = place.path;
  const store = useStore();
  const main = useFocusOn(focusKeyOf(place));
  const [isPaletteOpen, setPaletteOpen] = usePalette(main);
  const [isNavigationOpen, setNavigationOpen] = useState(false);
  const Shown = ownOf(VIEWS, section) ?? NotFound;
  const sidebar = {
    section,
    collection: section === 'collections' ? place.path[1] : undefined,
    onSignOut,
    onSearch: () => setPaletteOpen(true),
  };
  return (
    <QueryClientProvider client={store}>
      <NavigationContext value={() => setNavigationOpen(true)}>
        <div className="shell">
          <span className="skip">
            <Button onClick={() => focusContent(main.current)}>{texts.skip}</Button>
          </span>
          <Sidebar {...sidebar} />
          <main ref={main} tabIndex={-1}>
            <Unreachable />
            <Shown key={section} place={place} />
          </main>
        </div>
        {isNavigationOpen && <NarrowSidebar {...sidebar} onClose={() => setNavigationOpen(false)} />}
        <Suspense>
          {isPaletteOpen && <Palette commands={commandsOf(onSignOut)} onClose={() => setPaletteOpen(false)} />}
        </Suspense>
        <AskToLeave />
      </NavigationContext>
    </QueryClientProvider>
  );
}
