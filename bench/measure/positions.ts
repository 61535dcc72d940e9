import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';

/** Number of positions, all smaller than those of transactions in a new database. */
const POSITIONS = 500;

/** Assigns change feed positions to documents that were inserted directly, ordered by id. */
export async function positionDocuments(url: string): Promise<void> {
  const rank = `row_number() over (order by id) * ${POSITIONS} / (select count(*) + 1 from documents) + 1`;
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 30_000 });
    database.exec(`create temp table ranks as select rowid as document, ${rank} as position from documents;
      update documents set position = ranks.position from temp.ranks where ranks.document = documents.rowid;
      update feed_state set position = ${POSITIONS + 1};
      pragma wal_checkpoint(truncate)`);
    database.close();
    return;
  }
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`update documents set position = ranks.position
    from (select id as document, ${rank} as position from documents) ranks where ranks.document = documents.id`);
  await sql.end();
}
