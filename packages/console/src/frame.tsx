import { type ComponentType, lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { chooseLanguage, isLanguage, LANGUAGES, language } from './language.ts';
import { useService } from './parts/service.ts';
import { View } from './parts/view.tsx';
import { go, hrefOf, type Place, parsePlace, useHash } from './place.ts';
import { texts } from './texts.ts';

export interface ViewOfPlaceProps {
  readonly place: Place;
}

/** Views by the first segment of their path. Each is loaded when opened. */
const VIEWS: Readonly<Record<string, ComponentType<ViewOfPlaceProps>>> = {
  overview: lazy(async () => ({ default: (await import('./views/overview/overview.tsx')).Overview })),
  checks: lazy(async () => ({ default: (await import('./views/checks/checks.tsx')).Checks })),
  users: lazy(async () => ({ default: (await import('./views/users/users.tsx')).Users })),
  collections: lazy(async () => ({ default: (await import('./views/collections/collections.tsx')).Collections })),
  files: lazy(async () => ({ default: (await import('./views/files/files.tsx')).Files })),
  assets: lazy(async () => ({ default: (await import('./views/assets/assets.tsx')).Assets })),
  groups: lazy(async () => ({ default: (await import('./views/groups/groups.tsx')).Groups })),
  indexes: lazy(async () => ({ default: (await import('./views/indexes/indexes.tsx')).Indexes })),
  webhooks: lazy(async () => ({ default: (await import('./views/webhooks/webhooks.tsx')).Webhooks })),
  keys: lazy(async () => ({ default: (await import('./views/keys/keys.tsx')).Keys })),
  settings: lazy(async () => ({ default: (await import('./views/settings/settings.tsx')).Settings })),
  roles: lazy(async () => ({ default: (await import('./views/roles/roles.tsx')).Roles })),
  audit: lazy(async () => ({ default: (await import('./views/audit/audit.tsx')).Audit })),
  push: lazy(async () => ({ default: (await import('./views/push/push.tsx')).Push })),
};
const START = 'overview';

const LINKS = [
  ['overview', texts.frame.overview],
  ['users', texts.frame.users],
  ['roles', texts.frame.roles],
  ['collections', texts.frame.collections],
  ['files', texts.files.title],
  ['assets', texts.assets.title],
  ['groups', texts.groups.title],
  ['indexes', texts.indexes.title],
  ['webhooks', texts.webhooks.title],
  ['keys', texts.keys.title],
  ['push', texts.frame.push],
  ['audit', texts.audit.title],
  ['settings', texts.frame.settings],
  ['checks', texts.frame.checks],
] as const;

const Palette = lazy(async () => ({ default: (await import('./views/palette/palette.tsx')).Palette }));

/** Commands that the palette offers in every view. */
const COMMANDS = [
  ...LINKS.map(([name, text]) => ({ text, act: () => go([name]) })),
  { text: texts.users.create, act: () => go(['users'], { new: 'on' }) },
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

/** The language menu. Each language is listed under its own name. */
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

/** Moves the focus to the new view, so that keyboards and screen readers continue there. */
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

/** State of the command palette. Ctrl-K, or Command-K, toggles it. */
function usePalette(main: RefObject<HTMLElement | null>) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
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

export function Frame({ onSignOut }: { readonly onSignOut: () => Promise<void> }): ReactNode {
  const hash = useHash();
  const place = parsePlace(hash);
  const [section = START] = place.path;
  const { session } = useService();
  const main = useFocusOn(hash);
  const [isPaletteOpen, setPaletteOpen] = usePalette(main);
  const Shown = (Object.hasOwn(VIEWS, section) ? VIEWS[section] : undefined) ?? NotFound;
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
