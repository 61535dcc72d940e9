import { type ComponentType, lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { chooseLanguage, isLanguage, LANGUAGES, language } from './language.ts';
import { useService } from './parts/service.ts';
import { View } from './parts/view.tsx';
import { go, hrefOf, type Place, parsePlace, useHash } from './place.ts';
import { texts } from './texts.ts';

export interface ViewOfPlaceProps {
  readonly place: Place;
}

/** The views by the first part of their place, loaded when they are opened. */
const VIEWS: Readonly<Record<string, ComponentType<ViewOfPlaceProps>>> = {
  users: lazy(async () => ({ default: (await import('./views/users/users.tsx')).Users })),
  collections: lazy(async () => ({ default: (await import('./views/collections/collections.tsx')).Collections })),
  settings: lazy(async () => ({ default: (await import('./views/settings/settings.tsx')).Settings })),
};
const START = 'users';

const LINKS = [
  ['users', texts.frame.users],
  ['collections', texts.frame.collections],
  ['settings', texts.frame.settings],
] as const;

const Palette = lazy(async () => ({ default: (await import('./views/palette/palette.tsx')).Palette }));

/** What the command palette offers everywhere. */
const COMMANDS = [
  ...LINKS.map(([name, text]) => ({ text, act: () => go([name]) })),
  { text: texts.collections.create, act: () => go(['collections'], { new: 'on' }) },
  ...Object.entries(LANGUAGES).flatMap(([tag, text]) =>
    isLanguage(tag) && tag !== language ? [{ text, act: () => chooseLanguage(tag) }] : [],
  ),
];

const NotFound = () => (
  <View title={texts.notFound.title}>
    <p>{texts.notFound.about}</p>
  </View>
);

/** The choice of the language, in which each one has its own name. */
function LanguageSelect(): ReactNode {
  return (
    <select
      aria-label={texts.frame.language}
      value={language}
      onChange={({ target }) => isLanguage(target.value) && chooseLanguage(target.value)}
    >
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Moves the focus to the new view, so that keyboards and screen readers go on there. */
function useFocusOn(hash: string) {
  const main = useRef<HTMLElement>(null);
  const shown = useRef(hash);
  useEffect(() => {
    const path = hash.split('?')[0];
    if (path === shown.current.split('?')[0]) return;
    shown.current = hash;
    main.current?.focus();
    scrollTo(0, 0);
  }, [hash]);
  return main;
}

/** Whether the command palette is open. Ctrl-K, or Command-K, opens and closes it. */
function usePalette(main: RefObject<HTMLElement | null>) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      // Behind the sign-in page.
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

export function Frame({ onSignOut }: { readonly onSignOut: () => Promise<void> }): ReactNode {
  const hash = useHash();
  const place = parsePlace(hash);
  const [section = START] = place.path;
  const { session } = useService();
  const main = useFocusOn(hash);
  const [isPaletteOpen, setPaletteOpen] = usePalette(main);
  const Shown = VIEWS[section] ?? NotFound;
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <header className="bar">
        <strong>Baobab</strong>
        <nav aria-label={texts.frame.navigation}>
          {LINKS.map(([name, text]) => (
            <a key={name} href={hrefOf([name])} aria-current={name === section ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <span className="who">{texts.frame.signedInAs(session.user.username)}</span>
        <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={() => setPaletteOpen(true)}>
          {texts.palette.open}
        </button>
        <LanguageSelect />
        <button type="button" onClick={onSignOut}>
          {texts.frame.signOut}
        </button>
      </header>
      <main ref={main} tabIndex={-1}>
        <Suspense fallback={<p role="status">{texts.loading}</p>}>
          <Shown place={place} />
        </Suspense>
      </main>
      <Suspense>
        {isPaletteOpen && (
          <Palette
            commands={[...COMMANDS, { text: texts.frame.signOut, act: onSignOut }]}
            onClose={() => setPaletteOpen(false)}
          />
        )}
      </Suspense>
    </div>
  );
}
