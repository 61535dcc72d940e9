import { createSignalCache } from '../caches.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage/storage.ts';

/**
 * Caches whether any file belongs to a document. Without one, lists and searches of files do not examine documents.
 * Stays true until a restart, also if the last such file is removed.
 */
export function createOwnedFiles({ storage, clock }: { readonly storage: Storage; readonly clock: Clock }) {
  let isKnown = false;
  const cache = createSignalCache({
    signals: storage.signals,
    clock,
    topics: ['files'],
    read: () => storage.files.hasOwned(),
  });
  return {
    async exist(): Promise<boolean> {
      isKnown ||= await cache.current();
      return isKnown;
    },
    dispose: cache.dispose,
  };
}

export type OwnedFiles = ReturnType<typeof createOwnedFiles>;
