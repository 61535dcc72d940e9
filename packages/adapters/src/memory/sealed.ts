import { compareCodePoints, type SealedKind, type SealedStore } from '@baobab/core';
import { recoveryCodeKey, type State, socialLinkKey } from './state.ts';
import type { Table } from './tables.ts';

/** Access to one kind of sealed values. */
interface Kind {
  /** Returns all values in the order of their places. */
  all(): ReadonlyArray<{ readonly place: string; readonly sealed: string }>;
  replace(place: string, sealed: string, by: string): boolean;
}

/** Creates a kind whose values are in one column of a table. */
function columnOf<V extends object, Column extends keyof V>(
  table: Table<V>,
  keyOf: (row: V) => string,
  column: Column,
): Kind {
  const sealedIn = (row: V | undefined) => (row === undefined ? null : (row[column] as string | null));
  return {
    all: () =>
      table.values().flatMap((row) => {
        const sealed = sealedIn(row) ?? '';
        return sealed === '' ? [] : [{ place: keyOf(row), sealed }];
      }),
    replace(place, sealed, by) {
      const row = table.get(place);
      if (row === undefined || sealedIn(row) !== sealed) return false;
      // The value may be part of the key.
      table.delete(place);
      table.set({ ...row, [column]: by });
      return true;
    },
  };
}

const kindsOf = (state: State): Readonly<Record<SealedKind, Kind>> => ({
  'TOTP secrets': columnOf(state.totpSecrets, ({ userId }) => userId, 'sealed'),
  'recovery codes': columnOf(state.recoveryCodes, ({ userId, digest }) => recoveryCodeKey(userId, digest), 'digest'),
  'secrets of webhooks': columnOf(state.webhooks, ({ id }) => id, 'secret'),
  'former secrets of webhooks': columnOf(state.webhooks, ({ id }) => id, 'previous'),
  settings: columnOf(state.settings, ({ key }) => key, 'value'),
  'tokens of social networks': columnOf(
    state.socialLinks,
    ({ network, personId }) => socialLinkKey(network, personId),
    'sealed',
  ),
  mails: columnOf(state.mails, ({ id }) => id, 'sealed'),
});

export function createSealedStore(state: State): SealedStore {
  const kinds = kindsOf(state);
  return {
    async page(kind, after, limit) {
      const all = kinds[kind].all();
      const behind = after === null ? all : all.filter(({ place }) => compareCodePoints(place, after) > 0);
      return behind.slice(0, limit).map(({ place, sealed }) => ({ place, sealed }));
    },
    async replace(kind, { place, sealed }, by) {
      return kinds[kind].replace(place, sealed, by);
    },
  };
}
