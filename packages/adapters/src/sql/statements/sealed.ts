import type { SealedKind, SealedStore, SealedValue } from '@baobab/core';
import type { SqlExecutor } from './executor.ts';
import { changesOne } from './fragments.ts';
import { onCopies } from './statement.ts';

interface SealedColumn {
  readonly table: string;
  /** The primary key: one column, or two. */
  readonly key: readonly [string] | readonly [string, string];
  readonly column: string;
}

const COLUMNS: Readonly<Record<SealedKind, SealedColumn>> = {
  'TOTP secrets': { table: 'totp_secrets', key: ['user_id'], column: 'sealed' },
  'recovery codes': { table: 'recovery_codes', key: ['user_id', 'digest'], column: 'digest' },
  'secrets of webhooks': { table: 'webhooks', key: ['id'], column: 'secret' },
  'former secrets of webhooks': { table: 'webhooks', key: ['id'], column: 'previous' },
  settings: { table: 'settings', key: ['setting_key'], column: 'value' },
  'tokens of social networks': { table: 'social_links', key: ['network', 'person'], column: 'sealed' },
  mails: { table: 'mails', key: ['id'], column: 'sealed' },
};

interface Row {
  readonly first: string;
  readonly second: string | null;
  readonly sealed: string;
}

/** Returns the statements of a kind. Unset secrets are empty texts. */
function statementsOf({ table, key: [first, second], column }: SealedColumn) {
  const columns = `${first} as "first", ${second ?? 'null'} as "second", ${column} as "sealed"`;
  const order = second === undefined ? first : `${first}, ${second}`;
  const select = (condition: string, limit: string) =>
    `select ${columns} from ${table} where ${column} <> ''${condition} order by ${order} limit ${limit}`;
  const behind = second === undefined ? ` and ${first} > ?1` : ` and (${first}, ${second}) > (?1, ?2)`;
  const at = second === undefined ? `${first} = ?1` : `${first} = ?1 and ${second} = ?2`;
  const next = second === undefined ? 2 : 3;
  return {
    firstPage: select('', '?1'),
    nextPage: select(behind, `?${next}`),
    // Social links are on every node.
    replace: onCopies(`update ${table} set ${column} = ?${next + 1} where ${at} and ${column} = ?${next}`),
  };
}

const STATEMENTS = Object.fromEntries(
  Object.entries(COLUMNS).map(([kind, column]) => [kind, statementsOf(column)]),
) as Readonly<Record<SealedKind, ReturnType<typeof statementsOf>>>;

const placeOf = ({ first, second }: Row) => (second === null ? first : JSON.stringify([first, second]));
const keyOf = (kind: SealedKind, place: string): string[] =>
  COLUMNS[kind].key.length === 1 ? [place] : JSON.parse(place);

export function createSealedStore(executor: SqlExecutor): SealedStore {
  return {
    async page(kind, after, limit) {
      const { firstPage, nextPage } = STATEMENTS[kind];
      const rows =
        after === null
          ? await executor.read<Row>(firstPage, [limit])
          : await executor.read<Row>(nextPage, [...keyOf(kind, after), limit]);
      return rows.map((row): SealedValue => ({ place: placeOf(row), sealed: row.sealed }));
    },
    replace: (kind, { place, sealed }, by) =>
      changesOne(executor, STATEMENTS[kind].replace, [...keyOf(kind, place), sealed, by]),
  };
}
