import { useOffline } from '@baobab/client/react';
import { offline } from './baobab.ts';

/**
 * Changes that the server refused, for example because the list is no longer shared. The user decides what to do with
 * them.
 */
export function Refused() {
  const { failed } = useOffline(offline);
  if (failed.length === 0) return null;
  return (
    <section role="alert">
      <h2>Not saved</h2>
      <ul>
        {failed.map(({ collection, id, kind, content, base, error, retry, discard }) => (
          <li key={`${collection} ${id} ${kind}`}>
            <span>
              {`${content.title ?? base?.title}`}: {error.message}
            </span>
            <button type="button" onClick={retry}>
              Try again
            </button>
            <button type="button" onClick={discard}>
              Give up
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
