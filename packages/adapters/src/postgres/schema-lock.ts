import type { PostgresSql } from './servers.ts';

/** The advisory lock that serializes all schema changes; an arbitrary number that nobody else uses. */
export const LOCK = 7_226_914;
const RETRY_MS = 250;

/**
 * Waits for the schema lock. The lock belongs to the connection: a process that dies releases it. It polls, because a
 * session that waits inside the database would be one of those that `create index concurrently` waits for.
 *
 * @param isOver asked after each failed attempt: whether there is nothing left to wait for
 * @returns whether it has the lock
 */
export async function acquireSchemaLock(
  sql: PostgresSql,
  isOver: () => Promise<boolean> = async () => false,
): Promise<boolean> {
  for (;;) {
    const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${LOCK}::bigint) as taken`;
    if (row?.taken === true) return true;
    if (await isOver()) return false;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
