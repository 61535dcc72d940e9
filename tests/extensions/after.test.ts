import { join } from 'node:path';
import { defineExtension, type ExtensionApp } from '@baobab/server/extensions';
import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { createFolder, STORAGES, type TestStorage } from '../support/databases.ts';
import { type ExtendedBackend, extended } from '../support/extensions.ts';
import { until } from '../support/patience.ts';

const HOUR = 60 * MINUTE;

describe.each(Object.entries(STORAGES))('handlers and jobs of extensions, on %s', (_name, open) => {
  let storage: TestStorage;
  let on: ExtendedBackend;
  let fails = false;
  const clock = createHandDrivenClock();
  const events: string[] = [];
  const runs: string[] = [];
  /** Thrown by the handler `odd`. */
  let odd: unknown = null;

  const extension = defineExtension((app) => {
    app.after(['document.put', 'document.gone'], 'count', { collection: 'notes' }, async (event) => {
      if (fails) throw new Error('not now');
      const text = event.event === 'document.put' ? `${event.version} ${String(event.document.title)}` : 'gone';
      events.push(`${event.collection} ${text}`);
      if (event.event !== 'document.put' || event.version > 1) return;
      await event.data.collection('copies').create({ of: event.id });
    });
    app.after('document.put', 'urgent', { collection: 'notes', where: 'urgent = true' }, ({ document }) => {
      events.push(`urgent ${String(document.title)}`);
    });
    app.after('document.put', 'odd', { collection: 'odd' }, ({ document }) => {
      events.push(`odd ${String(document.title)}`);
      if (odd !== null) throw odd;
    });
    app.after('user.create', 'welcome', {}, ({ username, profile, guest }) => {
      events.push(`welcome ${username} ${JSON.stringify(profile.visibleByTheUser)} ${guest}`);
    });
    app.every('0 3 * * *', 'nightly', async ({ at, missed, data }) => {
      runs.push(`${at.toISOString().slice(0, 16)} ${missed}`);
      await data.collection('copies').query().count();
      if (fails) throw new Error('the job failed');
    });
  });

  const deliveriesOf = async (id: string) => (await on.admin.admin.webhooks.deliveries(id).page()).rows;
  const delivered = async (wanted: readonly string[]) => {
    await until(async () => {
      await on.backend.deliver();
      return wanted.every((one) => events.includes(one));
    });
    expect(events.toSorted()).toEqual(wanted.toSorted());
    events.length = 0;
  };

  beforeAll(async () => {
    storage = await open();
    on = await extended([extension], { databaseUrl: storage.url, clock });
    for (const name of ['notes', 'copies', 'odd']) await on.admin.admin.collections.create(name);
  });
  afterAll(async () => {
    await on.close();
    await storage.dispose();
  });

  it('are told of changes after the commit, by filter, and can write', async () => {
    const notes = on.admin.collection('notes');
    const plain = await notes.create({ title: 'a' });
    await notes.create({ title: 'b', urgent: true });
    await delivered(['notes 1 a', 'notes 1 b', 'urgent b']);
    await notes.replace(plain.id, { title: 'c' });
    await delivered(['notes 2 c']);
    await notes.remove(plain.id);
    await delivered(['notes gone']);
    expect(await on.admin.collection('copies').query().count()).toBe(2);
  });

  it('are told of new users of all kinds', async () => {
    await on.user('ann');
    await on.admin.admin.users.create({ username: 'bob', password: 'a password', visibleByTheUser: { a: 1 } });
    await delivered(['welcome ann {} false', 'welcome bob {"a":1} false']);
  });

  it('are called again after a failure, which administrators see and can replay', async () => {
    fails = true;
    await on.admin.collection('notes').create({ title: 'd' });
    const webhook = (await on.admin.admin.webhooks.list()).find(({ url }) => url === 'extension:count');
    const id = webhook?.id ?? '';
    const waiting = await until(async () => {
      await on.backend.deliver();
      return (await deliveriesOf(id)).find(({ state, attempts }) => state === 'waiting' && attempts > 0);
    });
    expect(waiting).toMatchObject({ type: 'document.put', error: 'The handler failed: not now' });
    expect(on.log.some(({ values }) => values.part === 'after count')).toBe(true);
    clock.advance(4 * 24 * HOUR);
    await on.backend.deliver();
    const parked = (await deliveriesOf(id)).find(({ state }) => state === 'parked');
    expect(parked?.id).toBe(waiting.id);
    fails = false;
    await on.admin.admin.webhooks.replay(id, waiting.id);
    await delivered(['notes 1 d']);
  });

  it.each([
    ['a value without a text', Object.create(null), /^The handler failed: a value without a text was thrown$/],
    ['an error with a long message', new Error('x'.repeat(100_000)), /^The handler failed: x{1024}$/],
  ])('wait after a failure with %s', async (title, thrown, text) => {
    odd = thrown;
    await on.admin.collection('odd').create({ title });
    const id = (await on.admin.admin.webhooks.list()).find(({ url }) => url === 'extension:odd')?.id ?? '';
    const failed = await until(async () => {
      await on.backend.deliver();
      return (await deliveriesOf(id)).find(({ state }) => state === 'waiting');
    });
    expect(failed).toMatchObject({ attempts: 1, error: expect.stringMatching(text) });
    const { err } = on.log.at(-1)?.values ?? {};
    if (err instanceof Error) expect(err.stack?.length).toBeLessThan(10_000);
    odd = null;
    clock.advance(MINUTE);
    await delivered([`odd ${title}`, `odd ${title}`]);
  });

  it('cannot be removed or changed like other webhooks', async () => {
    const { id } = (await on.admin.admin.webhooks.list())[0] ?? { id: '' };
    await expect(on.admin.admin.webhooks.remove(id)).rejects.toMatchObject({ code: 'webhook.of_extension' });
    await expect(on.admin.admin.webhooks.update(id, { url: 'https://example.com/' })).rejects.toMatchObject({
      code: 'webhook.of_extension',
    });
  });

  it('run at their times, once, and report missed ones', async () => {
    await on.backend.runJobs();
    expect(runs).toEqual([]);
    clock.advance(24 * HOUR);
    await on.backend.runJobs();
    await on.backend.runJobs();
    expect(runs).toHaveLength(1);
    expect(runs.pop()).toMatch(/T03:00 0$/);
    clock.advance(3 * 24 * HOUR);
    await on.backend.runJobs();
    expect(runs.pop()).toMatch(/T03:00 2$/);
    expect(on.log.at(-1)).toMatchObject({ level: 'warn', values: { job: 'nightly', missed: 2 } });
    fails = true;
    clock.advance(24 * HOUR);
    await on.backend.runJobs();
    fails = false;
    expect(on.log.at(-1)?.values).toMatchObject({ part: 'every nightly' });
    clock.advance(24 * HOUR);
    await on.backend.runJobs();
    expect(runs).toHaveLength(2);
  });
});

describe('a handler', () => {
  it('is called after a restart with another secret key', async () => {
    const { path, remove } = createFolder();
    const titles: unknown[] = [];
    const extension = defineExtension((app) => {
      app.after('document.put', 'told', { collection: 'notes' }, ({ document }) => void titles.push(document.title));
    });
    const start = () => extended([extension], { databaseUrl: `sqlite:${join(path, 'a.db')}` });
    const before = await start();
    await before.admin.admin.collections.create('notes');
    await before.close();
    const after = await start();
    await after.admin.collection('notes').create({ title: 'a' });
    await after.backend.deliver();
    expect(titles).toEqual(['a']);
    await after.close();
    remove();
  });
});

describe('a declaration of a handler or a job that is invalid', () => {
  const put = 'document.put';
  it.each<[string, (app: ExtensionApp) => void]>([
    ['"Count": a name is', (app) => app.after(put, 'Count', { collection: 'a' }, () => 1)],
    ['after "a": there is no event "user.login"', (app) => app.after('user.login' as 'user.create', 'a', {}, () => 1)],
    ['after "a": events of documents need the option "collection"', (app) => app.after(put, 'a', {}, () => 1)],
    [
      'after "a": "where" needs exactly one collection',
      (app) => app.after(put, 'a', { collection: ['a', 'b'], where: 'x = 1' }, () => 1),
    ],
    [
      'a value without a text was thrown',
      () => {
        throw Object.create(null);
      },
    ],
    ['"61 * * * *"', (app) => app.every('61 * * * *', 'a', () => 1)],
    [
      '"a": this name is used twice',
      (app) => {
        app.every('* * * * *', 'a', () => 1);
        app.every('* * * * *', 'a', () => 1);
      },
    ],
  ])('stops the start: %s', async (problem, register) => {
    const work = createTestBackend({ extensions: [defineExtension(register)] });
    await expect(work).rejects.toThrow(problem.startsWith('"61') ? '"61" is not a valid minute' : problem);
  });
});
