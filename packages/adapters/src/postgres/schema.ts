import type { Migration } from '../sql/migrations.ts';
import { POSTGRES_COUNTERS } from '../sql/schema/counters.ts';
import { migrationsFor } from '../sql/schema/index.ts';
import { POSTGRES_WORDS } from '../sql/schema/words.ts';

export const POSTGRES_MIGRATIONS: readonly Migration[] = migrationsFor({
  uuid: 'uuid',
  // The "C" collation compares by code point, independent of the database's locale.
  text: 'text collate "C"',
  integer: 'bigint',
  // A hash index has no order, so no list of one collection can be planned over the ids of all collections.
  byDocumentId: 'using hash (id)',
  byPosition: '(collection, position, id) where position > 0',
  randomText: "replace(cast(gen_random_uuid() as text), '-', '')",
  counters: POSTGRES_COUNTERS,
  words: POSTGRES_WORDS,
});
