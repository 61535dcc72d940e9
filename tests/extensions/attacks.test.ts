import { defineExtension } from '@baobab/server/extensions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExtendedBackend, extended } from '../support/extensions.ts';
import { createLatch, until } from '../support/patience.ts';

const JOBS = 10_000;
const seen: string[] = [];
/** Numbers of hooks that were started, and that run now. */
const chain = { started: 0, running: 0 };
const late = createLatch();
const lateCalls: unknown[] = [];

const hostile = defineExtension((app) => {
  const before = (collection: string, hook: (event: { content: unknown }) => unknown) =>
    app.before('document.create', { collection, timeout: 300 }, hook as () => unknown);
  before('thrown', () => {
    throw 'a text';
  });
  before('undefined', (event) => {
    event.content = undefined;
  });
  before('cyclic', ({ content }) => {
    Object.assign(content as object, { self: content });
  });
  before('huge', ({ content }) => {
    Object.assign(content as object, { big: 1n });
  });
  before('returned', () => ({ content: { other: true } }));
  before('textless', () => {
    throw Object.create(null);
  });
  // Two hooks that write into each other's collection.
  const writing = (collection: string, other: string) =>
    app.before('document.create', { collection, timeout: 30_000 }, async ({ data }) => {
      chain.started++;
      chain.running++;
      await data
        .collection(other)
        .create({})
        .finally(() => chain.running--);
    });
  writing('ping', 'pong');
  writing('pong', 'ping');
  app.before('document.create', { collection: 'late', timeout: 50 }, async ({ data }) => {
    await late.opened;
    await data
      .collection('log')
      .create({ late: true })
      .then(
        (document) => lateCalls.push(document),
        (error: unknown) => lateCalls.push(error),
      );
  });
  app.before('document.create', { collection: 'main' }, async ({ data, content }) => {
    seen.push(String(content.title));
    await data.collection('log').create({ of: content.title });
  });
  for (let i = 0; i < JOBS; i++) app.every('0 3 1 1 *', `job-${i}`, () => undefined);
});

describe('hostile hooks', () => {
  let on: ExtendedBackend;
  beforeAll(async () => {
    on = await extended([hostile]);
    const names = [
      'thrown',
      'textless',
      'undefined',
      'cyclic',
      'huge',
      'returned',
      'ping',
      'pong',
      'late',
      'main',
      'log',
    ];
    for (const name of names) await on.admin.admin.collections.create(name);
  });
  afterAll(() => on.close());

  const create = (collection: string, content: Record<string, unknown> = {}) =>
    on.admin.collection(collection).create(content);

  it.each(['thrown', 'textless'])(
    'that throw something else than an error end their own call only: %s',
    async (name) => {
      await expect(create(name)).rejects.toMatchObject({ code: 'extension.failed', status: 500 });
      await create('log');
    },
  );

  it.each(['undefined', 'cyclic', 'huge'])('that leave a content that is not JSON fail: %s', async (collection) => {
    await expect(create(collection)).rejects.toMatchObject({ code: 'extension.failed', status: 500 });
    expect(on.log.at(-1)?.values).toMatchObject({ extension: 'extension-1', part: 'before document.create' });
    expect(await on.admin.collection(collection).query().count()).toBe(0);
  });

  it('that return a value change nothing', async () => {
    expect(await create('returned', { title: 'a' })).not.toHaveProperty('other');
  });

  it('that start each other are refused at a depth of nine', async () => {
    await expect(create('ping')).rejects.toMatchObject({ code: 'extension.failed' });
    expect(await on.admin.collection('ping').query().count()).toBe(0);
    await until(() => chain.running === 0);
    expect(chain.started).toBe(8);
    expect(on.log.map(({ values }) => values)).toContainEqual({
      err: new Error('more than 8 hooks start each other with their writes'),
      extension: 'extension-1',
      part: 'before document.create',
    });
  });

  it('cannot write after their timeout', async () => {
    await expect(create('late')).rejects.toMatchObject({ code: 'extension.timeout' });
    late.open();
    await until(() => lateCalls.length > 0);
    expect(lateCalls).toMatchObject([{ code: 'extension.timeout', status: 503 }]);
  });

  it('may write other documents, while no transaction is open', async () => {
    await create('main', { title: 'one' });
    expect(seen).toEqual(['one']);
    expect(await on.admin.collection('main').query().count()).toBe(1);
  });
});

describe('ten thousand jobs', () => {
  it('are planned, and stop with the server', async () => {
    const on = await extended([hostile]);
    await on.backend.runJobs();
    await on.backend.runJobs();
    await on.close();
  });
});
