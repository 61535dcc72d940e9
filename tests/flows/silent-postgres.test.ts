import { createPostgresStorage } from '@baobab/adapters/postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';

const CONNECTIONS = 3;
/** Far less than a test waits for, and far more than an answer takes. Milliseconds. */
const LIMITS = { silence: 6_000, waiting: 4_000 };

/** Like a suspended server, or one behind a network that drops all packets: no connection ends. */
describe('a Postgres server that stops answering', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let proxy: TcpProxy;
  let storage: ReturnType<typeof createPostgresStorage>;

  beforeEach(async () => {
    database = await createDatabase();
    const url = new URL(database.url);
    proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    storage = createPostgresStorage({
      url: url.href,
      logger: silentLogger,
      connections: CONNECTIONS,
      limits: LIMITS,
    });
  });
  afterEach(async () => {
    await proxy.cut();
    await storage.close();
    await database.drop();
  });

  const unavailable = { status: 'rejected', reason: expect.objectContaining({ code: 'storage.unavailable' }) };
  const write = (key: string) => storage.transaction(({ settings }) => settings.set({ key, value: '' }));
  const read = () => storage.settings.all();
  const readOne = () => storage.users.findByKey('ann');
  const settle = (calls: Promise<unknown>[]) => Promise.allSettled(calls);

  it('fails every call in progress and every waiting call, and serves the next', async () => {
    await Promise.all(Array.from({ length: 2 * CONNECTIONS }, (_, n) => write(`before ${n}`)));
    proxy.freeze();
    const calls = Array.from({ length: 4 * CONNECTIONS }, (_, n) => [write(`lost ${n}`), read(), readOne()]).flat();
    expect(await settle(calls)).toEqual(calls.map(() => unavailable));
    // New connections are made for these.
    const later = Array.from({ length: CONNECTIONS }, (_, n) => [write(`later ${n}`), readOne()]).flat();
    expect(await settle(later)).toEqual(later.map(() => unavailable));
    await proxy.mend();
    await Promise.all(Array.from({ length: 2 * CONNECTIONS }, (_, n) => write(`after ${n}`)));
    const keys = (await read()).map(({ key }) => key);
    expect(keys.filter((key) => /^(?:before|after) \d$/.test(key))).toHaveLength(4 * CONNECTIONS);
    expect(keys.filter((key) => key.startsWith('lost') || key.startsWith('later'))).toEqual([]);
  });

  it('fails a transaction midway, which is rolled back', async () => {
    const transaction = storage.transaction(async ({ settings }) => {
      await settings.set({ key: 'first', value: '' });
      proxy.freeze();
      await settings.set({ key: 'second', value: '' });
    });
    expect(await settle([transaction])).toEqual([unavailable]);
    await proxy.mend();
    expect(await read()).toEqual([]);
  });

  it('is not given up while a statement takes long', async () => {
    const answered = storage.transaction(async ({ settings }) => {
      await settings.set({ key: 'held', value: '' });
      const waiting = write('held'); // waits for the row
      await new Promise((resolve) => setTimeout(resolve, LIMITS.silence / 3));
      return { waiting };
    });
    await (await answered).waiting;
    expect(await read()).toHaveLength(1);
  });
});
