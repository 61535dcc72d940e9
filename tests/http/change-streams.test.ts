import { createNodeSecrets } from '@baobab/adapters/system';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { createFeedCursors } from '../../packages/core/src/changes/cursor.ts';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { createFollower } from '../support/feed.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus, follow, loginAs, setSettings } from '../support/people.ts';
import { openSocket } from '../support/sockets.ts';
import { openStream, type StreamClient, type StreamClientOptions } from '../support/streams.ts';

const secrets = createNodeSecrets('a key for tests');
const cursors = createFeedCursors({ secrets });

function scenarios(world: World): void {
  const call: typeof world.call = (...args) => world.call(...args);
  const open: StreamClient[] = [];
  let address: string;
  beforeAll(async () => {
    address = `http://127.0.0.1:${await openSocket(world.backend.app)}`;
  });
  afterEach(async () => {
    for (const stream of open.splice(0)) stream.close();
    await until(async () => (await metric('changes_streams')) === 0);
  });

  async function metric(name: string): Promise<number> {
    const { text } = await expectStatus(call('GET', '/metrics', { basic: adminOf(world) }), 200);
    return Number(new RegExp(`^baobab_${name} (\\S+)`, 'm').exec(text)?.[1]);
  }

  async function stream(query: string, options: StreamClientOptions = {}): Promise<StreamClient> {
    const opened = await openStream(address, query, { appCode: world.backend.appCode, ...options });
    open.push(opened);
    return opened;
  }

  /** A stream that has caught up. */
  async function live(query: string, options: StreamClientOptions = {}): Promise<StreamClient> {
    const opened = await stream(query, options);
    await opened.line('ready');
    return opened;
  }

  async function scene() {
    const shelf = await createShelf(world);
    // Audit events are stored after the requests. Until their transactions have ended, Postgres holds back the feed, and
    // a stream may say that the sign-up was a moment ago.
    await world.backend.deliver();
    await world.caughtUp();
    const { token } = shelf.owner;
    const replace = (id: string, body: unknown) => expectStatus(call('PUT', shelf.path(id), { token, body }), 200);
    const remove = (id: string) => expectStatus(call('DELETE', shelf.path(id), { token }), 204);
    const of = (options?: StreamClientOptions) => live(`collection=${shelf.collection}`, options);
    return { ...shelf, token, replace, remove, of };
  }

  const asAdmin = (method: string, url: string, body?: unknown) =>
    call(method, url, { basic: adminOf(world), ...(body === undefined ? {} : { body }) });

  it('has what changes, as it happens, for each what they may read', async () => {
    const { create, replace, share, remove, of, token, collection } = await scene();
    const [friend, fan, stranger] = [await world.user(), await world.user(), await world.user()];
    await follow(world, fan, { name: (await call('GET', '/me', { token })).data.user.name, token, id: '' });
    await world.caughtUp();
    const [owner, reader, follower, other, anybody] = await Promise.all([
      of({ token }),
      of({ token: friend.token }),
      of({ token: fan.token }),
      of({ token: stranger.token }),
      of(),
    ]);
    const admin = await of({ token: await world.admin() });
    const { id } = await create({ title: 'Zeno' });
    await owner?.line(`put 1 ${id}`);
    await share(id, `read/user/${friend.name}`);
    await reader?.line(`put 1 ${id}`);
    await replace(id, { title: 'Zeno again' });
    await reader?.line(`put 2 ${id}`);
    await share(id, `read/user/${friend.name}`, 'DELETE');
    await reader?.line(`gone ${id}`);
    await remove(id);
    for (const one of [owner, follower, admin]) await one?.line(`gone ${id}`);
    const last = await create({});
    await share(last.id, 'read/role/anonymous');
    for (const one of [other, anybody]) await one?.line(`put 1 ${last.id}`);
    expect(other?.lines()).toEqual(['ready', `put 1 ${last.id}`]);
    expect(anybody?.lines()).toEqual(['ready', `put 1 ${last.id}`]);
    expect(reader?.lines().slice(0, 4)).toEqual(['ready', `put 1 ${id}`, `put 2 ${id}`, `gone ${id}`]);
    const [, first] = reader?.events ?? [];
    expect(first?.data).toMatchObject({ type: 'put', collection, id, version: 1, document: { title: 'Zeno' } });
  });

  it('is an event stream that proxies pass on', async () => {
    const { of, token } = await scene();
    const { status, headers } = await of({ token, headers: { origin: 'https://app.example.org' } });
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
      'x-request-id': expect.stringMatching(/\S/),
    });
    const head = await call('HEAD', '/changes/stream', { token });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('goes on after the last event, by header or parameter, with nothing lost', async () => {
    const { create, of, remove, replace, token, collection } = await scene();
    const first = await of({ token });
    const [one, two] = [await create({ n: 1 }), await create({ n: 2 })];
    await first.line(`put 1 ${two.id}`);
    const { id: middle } = await first.line(`put 1 ${one.id}`);
    first.close();
    await replace(one.id, { n: 3 });
    const three = await create({ n: 3 });
    await remove(two.id);
    await world.caughtUp();
    const resumed = await live(`collection=${collection}&since=${encodeURIComponent(middle)}`, { token });
    const expected = [`put 2 ${one.id}`, `put 1 ${three.id}`, `gone ${two.id}`, 'ready'];
    expect(resumed.lines()).toEqual(expected);
    await world.caughtUp();
    const byHeader = await live(`collection=${collection}&since=0`, { token, headers: { 'last-event-id': middle } });
    expect(byHeader.lines()).toEqual(expected);
    const byPolyfill = await live(`collection=${collection}&since=0&lastEventId=${middle}`, { token });
    expect(byPolyfill.lines()).toEqual(expected);
    const byBoth = { token, headers: { 'last-event-id': middle } };
    expect((await live(`collection=${collection}&lastEventId=0&t=1`, byBoth)).lines()).toEqual(expected);
    expect((await live(`collection=${collection}&since=${middle}&lastEventId=`, { token })).lines()).toEqual(expected);
    const all = await live(`collection=${collection}&since=0`, { token });
    expect(all.lines().filter((line) => line.startsWith('put'))).toEqual([`put 2 ${one.id}`, `put 1 ${three.id}`]);
  });

  it('goes on where pages ended, and pages where it ended', async () => {
    const { create, token, collection } = await scene();
    const pages = createFollower(world, { token }, `collection=${collection}`);
    await pages.begin();
    const { id } = await create({});
    await world.caughtUp();
    const events = await live(`collection=${collection}&since=${pages.since}`, { token });
    expect(events.lines()).toEqual([`put 1 ${id}`, 'ready']);
    const next = await create({});
    pages.goOn((await events.line('ready')).id);
    expect(await pages.news()).toEqual([`put 1 ${next.id}`]);
  });

  it('with a condition has the documents for which it holds, and says when it no longer does', async () => {
    const { create, replace, token, collection } = await scene();
    const where = `where=${encodeURIComponent('done = ?')}&params=false`;
    const before = await create({ done: false });
    const hidden = await create({ done: true });
    await world.caughtUp();
    const same = `collection=${collection}&collection=${collection.toUpperCase()}`;
    const stream = await live(`${same}&${where}&since=0`, { token });
    expect(stream.lines()).toEqual([`put 1 ${before.id}`, 'ready']);
    await create({ done: true });
    const todo = await create({ done: false });
    await stream.line(`put 1 ${todo.id}`);
    await replace(before.id, { done: true });
    await stream.line(`gone ${before.id}`);
    await replace(hidden.id, { done: false });
    await stream.line(`put 2 ${hidden.id}`);
    expect(stream.lines()).toEqual([
      `put 1 ${before.id}`,
      'ready',
      `put 1 ${todo.id}`,
      `gone ${before.id}`,
      `put 2 ${hidden.id}`,
    ]);
    const refused = [
      await openStream(address, where, { token, appCode: world.backend.appCode }),
      await openStream(address, `collection=${collection}&where=done+%3D`, { token, appCode: world.backend.appCode }),
    ];
    expect(refused.map(({ status, failure }) => [status, failure.code])).toEqual([
      [400, 'input.invalid'],
      [400, 'criteria.invalid'],
    ]);
  });

  it('does not say what changed before it began, even while the hub has not read that yet', async () => {
    const { of } = await scene();
    await of({});
    for (let n = 0; n < 5; n++) {
      const { token } = await world.user();
      await world.caughtUp();
      const stream = await live('since=0', { token });
      expect(stream.lines().filter((line) => line.startsWith('resync'))).toEqual([]);
    }
  });

  it('takes the application code and the session from the query, as EventSource sends them', async () => {
    const { create, token, collection } = await scene();
    const credentials = `X-SERVICE-APPCODE=${world.backend.appCode}&X-BB-SESSION=${encodeURIComponent(token)}`;
    await world.caughtUp();
    const response = await fetch(`${address}/changes/stream?collection=${collection}&since=0&${credentials}`);
    let text = '';
    let id: string | null = null;
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes).toString();
      // Only now: what was stored before may be among what a stream asks to list again.
      if (text.includes('event: ready')) id ??= (await create({})).id;
      if (id !== null && text.includes(id)) break;
    }
    expect(text).toContain(`"id":"${id}"`);
  });

  it.each<readonly [string, (user: { name: string; token: string }) => Promise<unknown>]>([
    ['log-out', ({ token }) => call('POST', '/logout', { token })],
    ['suspension', ({ name }) => call('PUT', `/admin/user/suspend/${name}`, { basic: adminOf(world) })],
    [
      'a new password, set in another session',
      async ({ name }) => {
        const body = { old: 'secret', new: 'another' };
        return call('PUT', '/me/password', { token: await loginAs(world, name), body });
      },
    ],
    ['the user’s own suspension', ({ token }) => call('PUT', '/me/suspend', { token })],
  ])('ends with the session: %s', async (_name, act) => {
    const { collection } = await scene();
    const user = await world.user();
    const [own, other] = [
      await live(`collection=${collection}`, { token: user.token }),
      await live(`collection=${collection}`, { token: (await world.user()).token }),
    ];
    await expectStatus(act(user) as ReturnType<typeof call>, 200);
    await own.line('end session.invalid');
    await own.ended();
    expect(other.hasEnded).toBe(false);
  });

  it('ends alone when its session is ended from another one', async () => {
    const user = await world.user();
    const second = await loginAs(world, user.name);
    const [first, other] = [await live('', { token: user.token }), await live('', { token: second })];
    const { data } = await expectStatus(call('GET', '/me/sessions', { token: second }), 200);
    const [before] = data.filter((session: { current: boolean; isCurrent?: boolean }) => !session.current);
    await expectStatus(call('DELETE', `/me/sessions/${before.id}`, { token: second }), 200);
    await first.line('end session.invalid');
    expect(other.hasEnded).toBe(false);
  });

  it('works with Basic credentials, and ends when they no longer hold', async () => {
    const { create, share, collection } = await scene();
    const user = await world.user();
    const basic = { authorization: `Basic ${Buffer.from(`${user.name}:secret`).toString('base64')}` };
    const stream = await live(`collection=${collection}`, { headers: basic });
    const { id } = await create({});
    await share(id, `read/user/${user.name}`);
    await stream.line(`put 1 ${id}`);
    await expectStatus(call('PUT', '/me/password', { token: user.token, body: { old: 'secret', new: 'x' } }), 200);
    await stream.line('end auth.invalid');
  });

  it('refuses one stream more than a user may have, and takes it when one has ended', async () => {
    await setSettings(world, 'Application', { 'changes.streams.per.user': 2 });
    const user = await world.user();
    const opened = [await live('', { token: user.token }), await live('', { token: user.token })];
    const refused = await openStream(address, '', { token: user.token, appCode: world.backend.appCode });
    expect([refused.status, refused.failure.code]).toEqual([429, 'changes.too_many_streams']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await live('', { token: (await world.user()).token });
    opened[0]?.close();
    await until(async () => {
      const again = await stream('', { token: user.token });
      return again.status === 200;
    });
    await setSettings(world, 'Application', { 'changes.streams.per.user': 20 });
  });

  it('of an API key has what its role may read, and ends with the key', async () => {
    const { create, share, collection } = await scene();
    const role = world.unique('Reader');
    await expectStatus(asAdmin('POST', `/admin/role/${role}`), 201);
    const made = await expectStatus(asAdmin('POST', '/admin/key', { name: 'x', role }), 201);
    const stream = await live(`collection=${collection}`, { headers: { authorization: `Bearer ${made.data.key}` } });
    await create({});
    const { id } = await create({});
    await share(id, `read/role/${role}`);
    await stream.line(`put 1 ${id}`);
    expect(stream.lines()).toEqual(['ready', `put 1 ${id}`]);
    await expectStatus(asAdmin('DELETE', `/admin/key/${made.data.id}`), 200);
    await stream.line('end key.invalid');
  });

  it('refuses what pages refuse', async () => {
    const { token } = await scene();
    const cases: ReadonlyArray<readonly [string, StreamClientOptions, number, string]> = [
      ['since=nonsense', { token }, 400, 'changes.cursor_invalid'],
      ['', { token, headers: { 'last-event-id': 'nonsense' } }, 400, 'changes.cursor_invalid'],
      ['lastEventId=nonsense', { token }, 400, 'changes.cursor_invalid'],
      ['collection=nowhere', { token }, 404, 'collection.not_found'],
      ['', { token: 'x' }, 401, 'session.invalid'],
      ['', { appCode: 'wrong' }, 400, 'app_code.invalid'],
    ];
    for (const [query, options, status, code] of cases) {
      const refused = await openStream(address, query, { appCode: world.backend.appCode, ...options });
      expect([query, refused.status, refused.failure.code]).toEqual([query, status, code]);
    }
  });

  it('of a cursor that has expired says that everything has to be listed again, and goes on', async () => {
    const { create, token, collection } = await scene();
    const foreign = cursors.encode({ kind: 'change', epoch: 'another', place: { position: 0, id: '' } });
    const stream = await live(`collection=${collection}&since=${foreign}`, { token });
    expect(stream.lines()).toEqual(['resync expired', 'ready']);
    const { id } = await create({});
    await stream.line(`put 1 ${id}`);
  });

  it('has every change of many, in every stream, and each document in its newest state last', async () => {
    const { create, replace, token, collection } = await scene();
    const streams = await Promise.all(Array.from({ length: 5 }, () => live(`collection=${collection}`, { token })));
    const documents = [];
    for (let n = 0; n < 10; n++) documents.push(await create({ n }));
    await Promise.all(documents.map(({ id }) => replace(id, { n: 'last' })));
    for (const one of streams) {
      for (const { id } of documents) await one.line(`put 2 ${id}`);
      for (const { id } of documents) {
        const own = one.lines().filter((line) => line.endsWith(id));
        expect(own.at(-1)).toBe(`put 2 ${id}`);
      }
    }
  });

  it('counts streams, changes and their ends in the metrics', async () => {
    const { create, token, of } = await scene();
    const before = await metric('changes_sent_total');
    const user = await world.user();
    const [stream, ending] = [await of({ token }), await of({ token: user.token })];
    expect(await metric('changes_streams')).toBe(2);
    const { id } = await create({});
    await stream.line(`put 1 ${id}`);
    expect((await metric('changes_sent_total')) - before).toBe(1);
    const cut = await metric('changes_streams_cut_total');
    await expectStatus(call('POST', '/logout', { token: user.token }), 200);
    await ending.ended();
    expect((await metric('changes_streams_cut_total')) - cut).toBe(1);
    expect(await metric('changes_lag_seconds')).toBeGreaterThanOrEqual(0);
    await expectStatus(asAdmin('GET', '/admin/statistics'), 200);
  });
}

onEveryStorage('streams of changes', scenarios, { secrets });
