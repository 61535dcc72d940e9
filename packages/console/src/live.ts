import type { LiveFeature } from '@baobab/client';

type LiveQueries = ReturnType<LiveFeature>;

/** Live queries. Their code is loaded on first use. */
export const live: LiveFeature = (deps) => {
  let loading: Promise<LiveQueries> | null = null;
  let isClosed = false;

  function load(): Promise<LiveQueries> {
    loading ??= import('@baobab/client/live').then((loaded) => {
      const queries = loaded.live(deps);
      if (isClosed) queries.close();
      return queries;
    });
    return loading;
  }

  return {
    follow(request, listener, options) {
      let stop: (() => void) | null = null;
      let hasEnded = false;
      load().then(
        (queries) => {
          if (!hasEnded) stop = queries.follow(request, listener, options);
        },
        () => {
          loading = null; // the next query tries again
          if (!hasEnded) options?.onState?.('failed');
        },
      );
      return () => {
        hasEnded = true;
        stop?.();
      };
    },
    room() {
      throw new Error('the console has no rooms');
    },
    close() {
      isClosed = true;
      loading?.then(
        (queries) => queries.close(),
        () => undefined,
      );
    },
  };
};
