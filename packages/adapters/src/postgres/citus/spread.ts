import { AppError } from '@baobab/core';
import { isNoSlice, isSliceOf, keyOf, sliceKey } from '../../slice-keys.ts';
import { type Client, inTransaction } from '../clients.ts';
import { isLockTimeout } from '../errors.ts';
import { CHANNEL } from '../listener.ts';
import type { Send } from '../send.ts';
import { NOT_IN_SPREAD, SEQUENTIAL } from './layout.ts';

/** A collection with documents on all nodes. */
export interface SpreadCollection {
  readonly name: string;
  readonly slices: number;
}

/** Request to spread a collection. */
export interface SpreadOptions {
  /** Name of the collection, in any case. */
  readonly name: string;
  /** Number of slices, at most one per shard. Null for one per shard, up to 32. */
  readonly slices: number | null;
}

const DEFAULT_SLICES = 32;
/** Limited, because requests wait meanwhile. */
const LOCK_LIMIT = "set local lock_timeout to '10s'";

/** The row lock prevents the removal of the collection and the declaration of indexes. */
const FIND = `select c.id, c.name, c.name_key as "key", c.created from collections c
  where c.name_key = $1 and ${isNoSlice('c.name_key')} for update of c`;
const SLICES = `select count(*) as n from collections s where ${isSliceOf('s.name_key', 'cast($1 as text)')}`;
const HAS_DOCUMENTS = 'select 1 as one from documents where collection = $1 limit 1';
const HAS_INDEXES = 'select 1 as one from collection_indexes where collection = $1 limit 1';
const ALL_SPREAD = `select c.id, c.name, count(*) as slices from collections s
  join collections c on c.name_key = ${keyOf('s.name_key')} where c.id <> s.id group by c.id, c.name, c.name_key
  order by c.name_key`;
/**
 * Ids on different shards, ordered so that consecutive ones are on different nodes. With twenty random ids per shard,
 * practically every shard has one.
 */
const IDS = `with ids as materialized (
    select gen_random_uuid() as id from generate_series(1, (select 20 * count(*) from citus_shards
      where table_name = 'documents'::regclass))
  ), placed as materialized (
    select id, get_shard_id_for_distribution_column('documents', id) as shard from ids
  ), chosen as (
    select distinct on (shard) id, shard from placed order by shard, id
  )
  select c.id from chosen c join citus_shards s on s.shardid = c.shard
  order by row_number() over (partition by s.nodename, s.nodeport order by c.shard), c.shard`;
const ADD = 'insert into collections (id, name, name_key, created) values ($1, $2, $3, $4)';
const TELL = `select pg_notify('${CHANNEL}', $1)`;

async function all<Row>(send: Send, text: string, params: (string | number | null)[] = []): Promise<Row[]> {
  return (await send(text, params)).rows as Row[];
}

const refused = (detail: string) => new AppError('input.invalid', { detail });

export async function spreadOn(send: Send): Promise<SpreadCollection[]> {
  const found = await all<SpreadCollection & { readonly id: string }>(send, ALL_SPREAD);
  return found.map(({ name, slices }) => ({ name, slices }));
}

interface Found {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly created: number;
}

async function spreadIn(send: Send, { name, slices }: SpreadOptions): Promise<SpreadCollection> {
  for (const setting of [SEQUENTIAL, LOCK_LIMIT]) await send(setting);
  // This waits for all writers of documents and blocks new ones.
  await send(`alter table documents drop constraint if exists ${NOT_IN_SPREAD}`);
  const [collection] = await all<Found>(send, FIND, [name.toLowerCase()]);
  if (collection === undefined) throw new AppError('collection.not_found', { detail: `"${name}"` });
  const { id, key } = collection;
  const [existing] = await all<{ n: number }>(send, SLICES, [key]);
  if (existing !== undefined && existing.n > 0) throw refused(`the collection "${name}" is spread already`);
  if ((await all(send, HAS_DOCUMENTS, [id])).length > 0) {
    throw refused(`the collection "${name}" has documents: only an empty collection can be spread`);
  }
  if ((await all(send, HAS_INDEXES, [id])).length > 0) {
    throw refused(`the collection "${name}" has indexes: remove them, and declare them again when it is spread`);
  }
  const ids = (await all<{ id: string }>(send, IDS)).slice(0, slices ?? DEFAULT_SLICES);
  for (const [at, slice] of ids.entries()) {
    await send(ADD, [slice.id, collection.name, sliceKey(key, at, slice.id), collection.created]);
  }
  const spread = await all<{ id: string }>(send, ALL_SPREAD);
  const own = spread.map((one) => `'${one.id}'`).join(', ');
  await send(`alter table documents add constraint ${NOT_IN_SPREAD} check (collection not in (${own})) not valid`);
  await send(TELL, [`citus:collections:${key}`]);
  return { name: collection.name, slices: ids.length };
}

/**
 * Spreads an empty collection over the nodes. A constraint prevents programs that are not aware of this yet from
 * adding documents outside the slices, where they would not be found.
 */
export async function spread(client: Client, options: SpreadOptions): Promise<SpreadCollection> {
  try {
    return await inTransaction(client, (send) => spreadIn(send, options));
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new AppError('storage.unavailable', {
      detail: 'others were writing documents for longer than 10 seconds; try again',
      cause: error,
    });
  }
}
