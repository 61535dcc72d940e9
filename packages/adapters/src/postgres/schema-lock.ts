import type { PostgresSql } from './servers.ts';

/** Key of the advisory lock that serializes all schema changes: an arbitrary number not used elsewhere. */
export const LOCK = 7_226_914;
const RETRY_MS = 250;

/**
 * Waits for the schema lock. It belongs to the connection, so a process that dies releases it. This polls, because
 * `create index concurrently` would wait for a session that waits inside the database.
 *
 * @param isOver called after each failed attempt; returns true if there is nothing left to wait for
 * @returns true if the lock was acquired
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
