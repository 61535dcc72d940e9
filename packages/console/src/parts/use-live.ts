import type { BaobabError, LiveHandlers, LiveState } from '@baobab/client';
import { useEffect, useState } from 'react';

export interface Live<R> {
  /** Null until the first rows arrive. */
  readonly rows: readonly R[] | null;
  readonly state: LiveState;
  /** The last failure; null when the rows are up to date. */
  readonly error: unknown;
}

const NOTHING = { rows: null, state: 'connecting', error: null } as const;

/**
 * Returns the rows of a live query.
 *
 * @param follow starts the query, and may throw for invalid user input; null: no query
 */
export function useLive<R>(
  follow: ((listener: (rows: readonly R[]) => void, handlers: LiveHandlers) => () => void) | null,
): Live<R> {
  const [live, setLive] = useState<Live<R>>(NOTHING);
  useEffect(() => {
    setLive(NOTHING);
    if (follow === null) return;
    const change = (changed: Partial<Live<R>>) => setLive((before) => ({ ...before, ...changed }));
    try {
      return follow((rows) => change({ rows }), {
        onState: (state) => change(state === 'live' ? { state, error: null } : { state }),
        onError: (error: BaobabError) => change({ error }),
      });
    } catch (error) {
      change({ error, state: 'failed' });
      return;
    }
  }, [follow]);
  return live;
}
