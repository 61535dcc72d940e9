import { live } from '@baobab/client/live';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ClientService, openClientService } from '../support/client-service.ts';
import { openPostgres, type TestStorage } from '../support/databases.ts';
import { createLatch, until } from '../support/patience.ts';

interface App {
  collections: { readonly [name: string]: { title: string } };
}

/** Opens a transaction of another program, in another database of the server. Returns a function that ends it. */
async function openTransaction(): Promise<() => Promise<void>> {
  const sql = postgres(inject('postgresUrl'), { max: 1, onnotice: () => undefined });
  const [begun, mayEnd] = [createLatch(), createLatch()];
  const open = sql.begin(async (transaction) => {
    await transaction`select pg_current_xact_id()`; // as a write does
    begun.open();
    await mayEnd.opened;
  });
  await begun.opened;
  return async () => {
    mayEnd.open();
    await open;
    await sql.end();
  };
}

describe('live queries of a new user, while an older transaction is open on the Postgres server', () => {
  let storage: TestStorage;
  let service: ClientService;

  beforeAll(async () => {
    storage = await openPostgres();
    service = await openClientService(storage.url, 2);
  });
  afterAll(async () => {
    await service.close();
    await storage.dispose();
  });

  it.each([
    ['a socket', { webSocket: WebSocket }],
    ['a stream', {}],
  ])('show what there is, and over %s the changes since then when it has ended', async (_way, options) => {
    const end = await openTransaction();
    const client = await service.user<App>({ live, ...service.onFirstNode, ...options });
    const notes = client.collection(await service.collection());
    await notes.create({ title: 'Milk' });
    const [states, errors]: [string[], unknown[]] = [[], []];
    let titles = '';
    const stop = notes.query().live(
      (rows) => {
        titles = rows.map(({ title }) => title).join();
      },
      { onState: (state) => states.push(state), onError: (error) => errors.push(error) },
    );
    await until(() => titles === 'Milk');
    await notes.create({ title: 'Bread' });
    await end();
    await until(() => titles === 'Milk,Bread');
    await until(() => states.at(-1) === 'live');
    expect(errors).toEqual([]);
    stop();
  });
});
