import { AppError, type DocumentStore, type Stores } from '@baobab/core';

/** Calls `edit`, and `fail` on any error not thrown by the caller's `change`. */
function watchedEdit(edit: DocumentStore['edit'], fail: () => void): DocumentStore['edit'] {
  return async (address, scope, { change, ...conditions }) => {
    let refusal: { readonly reason: unknown } | null = null;
    const watched: typeof change = (...args) => {
      try {
        return change(...args);
      } catch (reason) {
        refusal = { reason };
        throw reason;
      }
    };
    try {
      return await edit(address, scope, { ...conditions, change: watched });
    } catch (error) {
      if (refusal === null) fail();
      throw error;
    }
  };
}

/** Wraps stores so that they report the first failure and refuse all later calls. */
export function poison(stores: Stores, onFailure: () => void): Stores {
  let failed = false;
  const fail = () => {
    failed = true;
    onFailure();
  };
  function assertUnharmed(): void {
    if (failed) throw new AppError('storage.unavailable', { detail: 'an earlier statement of the transaction failed' });
  }
  const wrapStore = (store: object) =>
    Object.fromEntries(
      Object.entries(store).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          assertUnharmed();
          try {
            return await method(...args);
          } catch (error) {
            fail();
            throw error;
          }
        },
      ]),
    );
  const wrapped = Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, wrapStore(store)]),
  ) as unknown as Stores;
  const edit = watchedEdit(stores.documents.edit, fail);
  return {
    ...wrapped,
    documents: {
      ...wrapped.documents,
      async edit(...args) {
        assertUnharmed();
        return edit(...args);
      },
    },
  };
}
