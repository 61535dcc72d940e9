import { join } from 'node:path';
import { createPostgresStorage } from '@baobab/adapters/postgres';
import { createSqliteStorage } from '@baobab/adapters/sqlite';
import type { Gauge, LabelledCounts, Logger, Storage } from '@baobab/core';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase, createFolder } from '../support/databases.ts';
import { silentLogger } from '../support/logger.ts';

interface Watched {
  readonly logger: Logger;
  readonly slowMs: number;
  readonly gauges: { add(gauge: Gauge | LabelledCounts): void };
}

const OPENERS: Readonly<Record<string, (watched: Watched) => Promise<[Storage, () => Promise<void> | void]>>> = {
  async sqlite(watched) {
    const folder = createFolder();
    return [createSqliteStorage({ path: join(folder.path, 'baobab.db'), ...watched }), folder.remove];
  },
  async postgres(watched) {
    const database = await createDatabase();
    return [createPostgresStorage({ url: database.url, ...watched }), database.drop];
  },
};

describe.each(Object.entries(OPENERS))('an operator of %s', (_name, open) => {
  let close: () => Promise<void>;
  const lines: Array<{ ms: number; statement: string }> = [];
  const gauges: Array<Gauge | LabelledCounts> = [];

  async function started(slowMs: number): Promise<Storage> {
    lines.length = 0;
    gauges.length = 0;
    const logger: Logger = {
      ...silentLogger,
      warn: (bindings, message) => {
        if (message === 'slow statement') lines.push(bindings as (typeof lines)[0]);
      },
    };
    const [storage, dispose] = await open({ logger, slowMs, gauges: { add: (gauge) => gauges.push(gauge) } });
    close = async () => {
      await storage.close();
      await dispose();
    };
    await storage.migrate();
    return storage;
  }

  afterEach(() => close());

  it('reads in the log which statements were slow, without their values', async () => {
    const storage = await started(1e-6);
    lines.length = 0;
    await storage.users.findByKey('nobody-knows-me');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.statement).toMatch(/^select .* from users where name_key = /);
    expect(JSON.stringify(lines)).not.toContain('nobody-knows-me');
    await storage.collections.add({ id: '019aa000-0000-7000-8000-000000000000', name: 'SecretName', created: 1 });
    expect(lines.some(({ statement }) => statement.startsWith('insert into collections'))).toBe(true);
    expect(JSON.stringify(lines)).not.toContain('SecretName');
  });

  it('reads nothing about fast ones', async () => {
    const storage = await started(600_000);
    await storage.users.findByKey('nobody');
    expect(lines).toEqual([]);
  });

  it('sees the length of the queues', async () => {
    await started(0);
    const waiting = gauges.find(({ name }) => name === 'database_waiting');
    expect(await waiting?.read()).toBe(0);
  });
});
