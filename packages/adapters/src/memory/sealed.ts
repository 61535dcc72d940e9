import { compareCodePoints, type SealedKind, type SealedStore, type SealedValue } from '@baobab/core';
import type { State } from './state.ts';
import type { Immediate, Table } from './tables.ts';

/** Access to one kind of sealed values. */
interface Kind {
  /** Returns all values in the order of their places. */
  all(): SealedValue[];
  replace(value: SealedValue, by: string): boolean;
}

/** Creates a kind whose values are in one column of a table. */
function columnOf<V extends object>(table: Table<V>, column: keyof V): Kind {
  return {
    all: () =>
      table.all().flatMap((row) => {
        const sealed = String(row[column] ?? '');
        return sealed === '' ? [] : [{ place: table.keyOf(row), sealed }];
      }),
    replace({ place, sealed }, by) {
      const row = table.get(place);
      if (row?.[column] !== sealed) return false;
      // The value may be part of the key.
      table.delete(place);
      table.set({ ...row, [column]: by });
      return true;
    },
  };
}

export function createSealedStore(state: State): Immediate<SealedStore> {
  const kinds: Readonly<Record<SealedKind, Kind>> = {
    'TOTP secrets': columnOf(state.totpSecrets, 'sealed'),
    'recovery codes': columnOf(state.recoveryCodes, 'digest'),
    'secrets of webhooks': columnOf(state.webhooks, 'secret'),
    'former secrets of webhooks': columnOf(state.webhooks, 'previous'),
    settings: columnOf(state.settings, 'value'),
    'tokens of social networks': columnOf(state.socialLinks, 'sealed'),
    mails: columnOf(state.mails, 'sealed'),
  };
  return {
    page(kind, after, limit) {
      const all = kinds[kind].all();
      return all.filter(({ place }) => after === null || compareCodePoints(place, after) > 0).slice(0, limit);
    },
    replace: (kind, value, by) => kinds[kind].replace(value, by),
  };
}
