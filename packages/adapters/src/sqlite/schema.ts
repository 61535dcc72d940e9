import type { Migration } from '../sql/migrations.ts';
import { SQLITE_COUNTERS } from '../sql/schema/counters.ts';
import { migrationsFor } from '../sql/schema/index.ts';
import { SQLITE_WORDS } from '../sql/schema/words.ts';

export const SQLITE_MIGRATIONS: readonly Migration[] = migrationsFor({
  uuid: 'text',
  text: 'text',
  integer: 'integer',
  byDocumentId: '(id)',
  // Short, because each update moves the entry.
  byPosition: '(position)',
  randomText: 'lower(hex(randomblob(8)))',
  counters: SQLITE_COUNTERS,
  words: SQLITE_WORDS,
});
