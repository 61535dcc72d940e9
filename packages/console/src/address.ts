/** The view that the fragment of the page address selects. */
export interface ViewAddress {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Query of a place. Empty and absent members are omitted. */
export type PlaceQuery = Readonly<Record<string, string | undefined>>;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parsePlace(hash: string): ViewAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const segments = path.split('/').filter((segment) => segment !== '');
  return { path: segments.map(decoded), query: Object.fromEntries(new URLSearchParams(query)) };
}

export function hrefOf(path: readonly string[], query: PlaceQuery = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const text = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

const listeners = new Set<() => void>();

/** Tells the listeners that the place has changed. */
export function emit(): void {
  for (const listener of [...listeners]) listener();
}

/** Returns a function that unsubscribes. */
export function onPlace(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
