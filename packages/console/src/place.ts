import { useSyncExternalStore } from 'react';

/** The view that the fragment of the page address selects. */
export interface Place {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const segments = path.split('/').filter((segment) => segment !== '');
  return { path: segments.map(decoded), query: Object.fromEntries(new URLSearchParams(query)) };
}

/** Empty members of `query` are omitted. */
export function hrefOf(path: readonly string[], query: Readonly<Record<string, string>> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function go(path: readonly string[], query: Readonly<Record<string, string>> = {}): void {
  location.hash = hrefOf(path, query);
}

/** Like `go`, but replaces the current entry of the history, so that Back skips it. */
export function goInstead(path: readonly string[], query: Readonly<Record<string, string>> = {}): void {
  location.replace(hrefOf(path, query));
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

/** Returns the fragment of the address; re-renders when it changes. */
export const useHash = (): string => useSyncExternalStore(subscribe, () => location.hash);
