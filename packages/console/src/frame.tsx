import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useService } from './parts/service.ts';
import { View } from './parts/view.tsx';
import { hrefOf, type Place, parsePlace, useHash } from './place.ts';
import { texts } from './texts.ts';

export interface ViewOfPlaceProps {
  readonly place: Place;
}

/** The views by the first part of their place, loaded when they are opened. */
const VIEWS: Readonly<Record<string, ComponentType<ViewOfPlaceProps>>> = {
  users: lazy(async () => ({ default: (await import('./views/users/users.tsx')).Users })),
  collections: lazy(async () => ({ default: (await import('./views/collections/collections.tsx')).Collections })),
  files: lazy(async () => ({ default: (await import('./views/files/files.tsx')).Files })),
  assets: lazy(async () => ({ default: (await import('./views/assets/assets.tsx')).Assets })),
  groups: lazy(async () => ({ default: (await import('./views/groups/groups.tsx')).Groups })),
  webhooks: lazy(async () => ({ default: (await import('./views/webhooks/webhooks.tsx')).Webhooks })),
  keys: lazy(async () => ({ default: (await import('./views/keys/keys.tsx')).Keys })),
  settings: lazy(async () => ({ default: (await import('./views/settings/settings.tsx')).Settings })),
};
const START = 'users';

const LINKS = [
  ['users', texts.frame.users],
  ['collections', texts.frame.collections],
  ['files', texts.files.title],
  ['assets', texts.assets.title],
  ['groups', texts.groups.title],
  ['webhooks', texts.webhooks.title],
  ['keys', texts.keys.title],
  ['settings', texts.frame.settings],
] as const;

const NotFound = () => (
  <View title={texts.notFound.title}>
    <p>{texts.notFound.about}</p>
  </View>
);

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

export function Frame({ onSignOut }: { readonly onSignOut: () => Promise<void> }): ReactNode {
  const hash = useHash();
  const place = parsePlace(hash);
  const [section = START] = place.path;
  const { session } = useService();
  const main = useFocusOn(hash);
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
        <button type="button" onClick={onSignOut}>
          {texts.frame.signOut}
        </button>
      </header>
      <main ref={main} tabIndex={-1}>
        <Suspense fallback={<p role="status">{texts.loading}</p>}>
          <Shown place={place} />
        </Suspense>
      </main>
    </div>
  );
}
