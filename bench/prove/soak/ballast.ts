import type { Place } from '../place.ts';

/** Number of documents of 1 KB: more bytes than the cache of each SQLite connection (64 MiB). */
const DOCUMENTS = 90_000;
const AT_ONCE = 100;
const PAGE = 1_000;
const COLLECTION = 'ballast';
const TEXT = 'Nobody changes this document while the load runs. '.repeat(20);

/** More users than threads that hash passwords. Each thread keeps the memory of its first hash (20 MB). */
const USERS = 16;

/**
 * Hashes passwords, and stores and reads documents in every way that the load does. This fills the database caches and
 * the memory of the threads before the load begins. Otherwise they would fill for half an hour, which looks like a
 * leak.
 */
export async function fillMemory({ client, viewer, password }: Place): Promise<void> {
  const { address, admin, writer } = viewer();
  const signUp = (_: unknown, i: number) =>
    client.expect('POST', `${address}/user`, { body: { username: `ballast${i}`, password } });
  await Promise.all(Array.from({ length: USERS }, signUp));
  await client.expect('POST', `${address}/admin/collection/${COLLECTION}`, { token: admin });
  for (let at = 0; at < DOCUMENTS; at += AT_ONCE) {
    const operations = Array.from({ length: AT_ONCE }, (_, i) => ({
      method: 'POST',
      path: `/document/${COLLECTION}`,
      body: { n: at + i, text: TEXT },
    }));
    await client.expect('POST', `${address}/batch`, { token: writer, body: { atomic: true, operations } });
  }
  for (let page = 0; page * PAGE < DOCUMENTS; page++) {
    const query = `recordsPerPage=${PAGE}&page=${page}`;
    await client.expect('GET', `${address}/document/${COLLECTION}?${query}`, { token: writer });
  }
  for (let [since, more] = ['0', true]; more; ) {
    const { body } = await client.expect('GET', `${address}/changes?limit=${PAGE}&since=${since}`, { token: writer });
    [since, more] = [body.next, body.more];
  }
}
