import type { Sql } from 'postgres';

/** By which those who change the schema take turns, whatever they change; any number that nobody else takes. */
export const LOCK = 7_226_914;
const RETRY_MS = 250;

/**
 * Waits for the turn. The lock is the connection's: who dies gives it back. It asks again and again: who waited inside
 * the database would be one of those for whose end an index that is built `concurrently` waits.
 *
 * @param isOver asked after each refusal: whether there is nothing left to wait for
 * @returns whether it has the turn
 */
export async function acquireSchemaLock(
  sql: Pick<Sql, 'unsafe'>,
  isOver: () => Promise<boolean> = async () => false,
): Promise<boolean> {
  for (;;) {
    const [row] = await sql.unsafe<{ taken: boolean }[]>(`select pg_try_advisory_lock(${LOCK}) as taken`);
    if (row?.taken === true) return true;
    if (await isOver()) return false;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
