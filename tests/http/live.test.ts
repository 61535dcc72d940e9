import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { createNodeSecrets } from '@baobab/adapters/system';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { type LiveSocket, type LiveSocketOptions, openLive } from '../support/live-sockets.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus, setSettings } from '../support/people.ts';
import { openSocket } from '../support/sockets.ts';

const secrets = createNodeSecrets('a key for tests');

function scenarios(world: World): void {
  const call: typeof world.call = (...args) => world.call(...args);
  const open: LiveSocket[] = [];
  let address: string;
  beforeAll(async () => {
    address = `http://127.0.0.1:${await openSocket(world.backend.app)}`;
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.close();
    await until(async () => (await metric('changes_streams')) + (await metric('live_sockets')) === 0);
  });

  async function metric(name: string): Promise<number> {
    const { text } = await expectStatus(call('GET', '/metrics', { basic: adminOf(world) }), 200);
    return Number(new RegExp(`^baobab_${name} (\\S+)`, 'm').exec(text)?.[1]);
  }

  const hello = (token?: string) => ({
    appCode: world.backend.appCode,
    ...(token !== undefined && { session: token }),
  });

  async function socket(options: LiveSocketOptions = {}): Promise<LiveSocket> {
    const opened = await openLive(address, { hello: hello(), ...options });
    open.push(opened);
    return opened;
  }

  async function welcomed(token?: string): Promise<LiveSocket> {
    const opened = await socket({ hello: hello(token) });
    await opened.line('welcome');
    return opened;
  }

  async function scene() {
    const shelf = await createShelf(world);
    await world.backend.deliver();
    await world.caughtUp();
    const { token } = shelf.owner;
    const replace = (id: string, body: unknown) => expectStatus(call('PUT', shelf.path(id), { token, body }), 200);
    return { ...shelf, token, replace };
  }

  it('carries any number of subscriptions, each with its own filter', async () => {
    const { create, replace, token, collection } = await scene();
    const live = await welcomed(token);
    expect((await live.line('welcome')).user).toMatch(/./);
    live.send({ type: 'subscribe', id: 1, collection });
    live.send({ type: 'subscribe', id: 2, collection, where: 'done = ? and n >= ?', params: [false, 2] });
    await live.line('ready 1');
    await live.line('ready 2');
    const { id } = await create({ n: 1, done: false });
    const put = await live.line('put 1 1');
    expect(put.data).toMatchObject({ type: 'put', collection, id, version: 1, document: { id, n: 1 } });
    await replace(id, { n: 2, done: false });
    await live.line('put 1 2');
    await live.line('put 2 2');
    await replace(id, { n: 2, done: true });
    expect((await live.line('gone 2')).data).toEqual({ type: 'gone', collection, id });
    expect(live.lines()).not.toContain('put 2 1');
  });

  it('delivers an update only to filters that match before or after it', async () => {
    const { create, replace, token, collection } = await scene();
    const live = await welcomed(token);
    live.send({ type: 'subscribe', id: 0, collection });
    for (const [id, list] of ['a', 'b', 'c'].entries()) {
      live.send({ type: 'subscribe', id: id + 1, collection, where: 'list = ?', params: [list] });
    }
    for (const id of [0, 1, 2, 3]) await live.line(`ready ${id}`);
    const { id } = await create({ list: 'a', n: 1 });
    await live.line('put 0 1');
    const states = [
      { list: 'a', n: 2 },
      { list: 'b', n: 2 },
      { list: 'b', n: 3 },
      { list: 'a', n: 3 },
    ];
    for (const [at, state] of states.entries()) {
      await replace(id, state);
      await live.line(`put 0 ${at + 2}`);
    }
    live.send({ type: 'ping' });
    await live.line('pong');
    const lines = live.lines().filter((line) => /^(?:put|gone) [1-3]/.test(line));
    expect(lines).toEqual(['put 1 1', 'put 1 2', 'gone 1', 'put 2 3', 'put 2 4', 'gone 2', 'put 1 5']);
  });

  it('delivers the same new documents by each filter as a list', async () => {
    const { create, token, collection } = await scene();
    const filters: ReadonlyArray<readonly [where: string, params: readonly unknown[]]> = [
      ['n = ?', [1]],
      ['n = ?', ['1']],
      ["'1' = n", []],
      ['done = ? and of.list = ?', [false, 'a']],
      ['of.list = ? and n > ?', ['a', 1]],
      ['of.list = ? or n = ?', ['a', 1]],
      ['not (n = ?)', [1]],
      ['tags[0] = ?', ['x']],
      ['n.toUpperCase() = ?', ['1']],
      ['missing = ?', ['']],
    ];
    const live = await welcomed(token);
    for (const [id, [where, params]] of filters.entries()) {
      live.send({ type: 'subscribe', id, collection, where, params });
      await live.line(`ready ${id}`);
    }
    const created = [
      { n: 1, done: false, of: { list: 'a' } },
      { n: '1', done: true, of: { list: 'a' }, tags: ['x', 'y'] },
      { n: 2, done: false, of: { list: 'b' }, tags: ['y', 'x'] },
      { n: 2, done: false, of: 'a', tags: 'x' },
      { n: [1], of: { list: 'a' }, done: false },
      { n: null },
      {},
    ];
    live.send({ type: 'subscribe', id: filters.length, collection });
    await live.line(`ready ${filters.length}`);
    for (const content of created) await create(content);
    await until(() => live.lines().filter((line) => line === `put ${filters.length} 1`).length === created.length);
    live.send({ type: 'ping' });
    await live.line('pong');
    for (const [id, [where, params]] of filters.entries()) {
      const query = new URLSearchParams({ where });
      for (const param of params) query.append('params', String(param));
      const { body } = await expectStatus(call('GET', `/document/${collection}?${query}`, { token }), 200);
      const listed: Array<{ id: string }> = body.data;
      const delivered = live.messages.filter((message) => message.type === 'put' && message.id === id);
      expect([where, delivered.map(({ data }) => data.id).sort()]).toEqual([where, listed.map((one) => one.id).sort()]);
    }
  });

  it('resumes each subscription by its cursor on another socket, and loses nothing', async () => {
    const { create, token, collection } = await scene();
    const first = await welcomed(token);
    first.send({ type: 'subscribe', id: 1, collection });
    const { cursor } = await first.line('ready 1');
    first.close();
    const made = await create({ n: 1 });
    const second = await welcomed(token);
    second.send({ type: 'subscribe', id: 7, collection, since: cursor });
    const put = await second.line('put 7');
    expect(put.data.id).toBe(made.id);
    await second.line('ready 7');
    second.send({ type: 'subscribe', id: 8, collection, since: put.cursor });
    await second.line('ready 8');
    expect(second.lines().filter((line) => line.startsWith('put 8'))).toEqual([]);
  });

  it('sends nothing more after `unsubscribe`, and the id is free again', async () => {
    const { create, token, collection } = await scene();
    const live = await welcomed(token);
    live.send({ type: 'subscribe', id: 1, collection });
    live.send({ type: 'subscribe', id: 2, collection });
    await live.line('ready 2');
    live.send({ type: 'unsubscribe', id: 1 });
    live.send({ type: 'ping' });
    await live.line('pong');
    await create({});
    await live.line('put 2');
    expect(live.lines().filter((line) => line.startsWith('put 1'))).toEqual([]);
    live.send({ type: 'subscribe', id: 1, collection });
    await until(() => live.lines().filter((line) => line === 'ready 1').length === 2);
  });

  it('delivers nothing of a document that the user may not read, and `gone` when they lose it', async () => {
    const { create, share, collection } = await scene();
    const friend = await world.user();
    const live = await welcomed(friend.token);
    live.send({ type: 'subscribe', id: 1, collection });
    await live.line('ready 1');
    await create({});
    const { id } = await create({});
    await share(id, `read/user/${friend.name}`);
    expect((await live.line('put 1')).data.id).toBe(id);
    await share(id, `read/user/${friend.name}`, 'DELETE');
    expect((await live.line('gone 1')).data.id).toBe(id);
    expect(live.lines()).toEqual([`welcome ${friend.name}`, 'ready 1', 'put 1 1', 'gone 1']);
  });

  it('closes with 4401 when the session ends, also without subscriptions', async () => {
    const [idle, busy] = [await world.user(), await world.user()];
    const sockets = [await welcomed(idle.token), await welcomed(busy.token)];
    sockets[1]?.send({ type: 'subscribe', id: 1 });
    await sockets[1]?.line('ready 1');
    await expectStatus(call('POST', '/logout', { token: idle.token }), 200);
    await expectStatus(call('POST', '/logout', { token: busy.token }), 200);
    for (const one of sockets) {
      await one.line('end');
      expect(await one.closed()).toBe(4401);
    }
  });

  it('closes with 4401 after an invalid first message', async () => {
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{ type: 'hello', appCode: 'wrong' }, 'app_code.invalid'],
      [{ type: 'hello' }, 'app_code.invalid'],
      [{ type: 'hello', appCode: world.backend.appCode, session: 'x' }, 'session.invalid'],
      [{ type: 'subscribe', id: 1 }, 'auth.required'],
      ['not JSON', 'input.json_invalid'],
    ];
    for (const [message, code] of cases) {
      const live = await socket({ hello: null });
      live.send(message);
      expect(await live.closed()).toBe(4401);
      expect(live.lines()[0]).toMatch(new RegExp(`^error (1 )?${code}$`));
    }
  });

  it('accepts the usual credentials in headers and in the query', async () => {
    const user = await world.user();
    const appCode = { 'x-service-appcode': world.backend.appCode };
    const basic = { authorization: `Basic ${Buffer.from(`${user.name}:secret`).toString('base64')}` };
    const path = `/live?X-SERVICE-APPCODE=${world.backend.appCode}&X-BB-SESSION=${encodeURIComponent(user.token)}`;
    for (const options of [
      { headers: { 'x-bb-session': user.token } },
      { headers: { ...appCode, ...basic } },
      { path },
    ]) {
      const live = await socket({ hello: null, ...options });
      await live.line(`welcome ${user.name}`);
    }
    const refused = await socket({ hello: null, headers: { ...appCode, 'x-bb-session': 'x' } });
    expect(refused.refused()).toBe(401);
  });

  it('accepts any origin, like CORS, and refuses other subprotocols', async () => {
    const foreign = await socket({ headers: { origin: 'https://example.org' } });
    await foreign.line('welcome');
    expect(foreign.socket.protocol).toBe('baobab.v1');
    const other = await socket({ protocols: ['graphql-ws'] });
    expect(await other.closed()).toBe(1006);
  });

  it('reports what is wrong with a message, and goes on', async () => {
    const { token, collection } = await scene();
    const live = await welcomed(token);
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{ type: 'subscribe', id: 1, collection: 'nowhere' }, 'error 1 collection.not_found'],
      [{ type: 'subscribe', id: 2, where: 'n > 1' }, 'error 2 input.invalid'],
      [{ type: 'subscribe', id: 3, collection, where: 'n >' }, 'error 3 criteria.invalid'],
      [{ type: 'subscribe', id: 4, since: 'x' }, 'error 4 changes.cursor_invalid'],
      [{ type: 'subscribe', id: 5, filter: 'x' }, 'error 5 input.invalid'],
      [{ type: 'subscribe', id: 5, collection: [[collection]] }, 'error 5 input.invalid'],
      [{ type: 'subscribe', id: 5, collection: [] }, 'error 5 input.invalid'],
      [{ type: 'subscribe', id: 5, collection, where: 'n = ?', params: [null] }, 'error 5 input.invalid'],
      [{ type: 'subscribe', id: 5, collection, where: 'n = ?', params: [{}] }, 'error 5 input.invalid'],
      [{ type: 'subscribe', id: 'x' }, 'error input.invalid'],
      [{ type: 'hello' }, 'error input.invalid'],
      [{ type: 'shout', id: 6 }, 'error 6 input.invalid'],
      [[1], 'error input.invalid'],
    ];
    for (const [message, line] of cases) {
      const before = live.messages.length;
      live.send(message);
      await until(() => live.messages.length > before);
      expect(live.lines()[before]).toBe(line);
    }
    live.send({ type: 'ping' });
    await live.line('pong');
  });

  it('closes with 1009 after a message of more than 64 KB', async () => {
    const live = await welcomed();
    live.send({ type: 'ping', x: 'x'.repeat(65_536) });
    expect(await live.closed()).toBe(1009);
  });

  it('closes with 1008 after a message in too many frames', async () => {
    const live = await welcomed();
    const { socket } = live;
    socket.send('{"type":"ping"}', { fin: false });
    for (let n = 0; n < 100; n++) socket.send(' ', { fin: n === 99 });
    await live.line('pong');
    socket.send('{"type":"ping"}', { fin: false });
    for (let n = 0; n < 200; n++) socket.send(' ', { fin: false });
    expect(await live.closed()).toBe(1008);
  });

  it('counts subscriptions of all sockets of a user, and sockets', async () => {
    await setSettings(world, 'Application', { 'changes.streams.per.user': 2 });
    const { token } = await world.user();
    const sockets = [await welcomed(token), await welcomed(token)];
    for (const [at, one] of sockets.entries()) one.send({ type: 'subscribe', id: at });
    await sockets[0]?.line('ready 0');
    await sockets[1]?.line('ready 1');
    sockets[0]?.send({ type: 'subscribe', id: 9 });
    expect((await sockets[0]?.line('error 9'))?.code).toBe('changes.too_many_streams');
    sockets[1]?.send({ type: 'unsubscribe', id: 1 });
    sockets[1]?.send({ type: 'ping' });
    await sockets[1]?.line('pong');
    sockets[0]?.send({ type: 'subscribe', id: 10 });
    await sockets[0]?.line('ready 10');
    const third = await socket({ hello: hello(token) });
    expect(await third.closed()).toBe(1013);
    expect(third.lines()[0]).toBe('error changes.too_many_streams');
    await setSettings(world, 'Application', { 'changes.streams.per.user': 20 });
  });

  it('answers requests that are not handshakes', async () => {
    const appCode = { 'x-service-appcode': world.backend.appCode };
    const plain = await fetch(`${address}/live`, { headers: appCode });
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect(await plain.json()).toMatchObject({ code: 'upgrade.required' });
    const elsewhere = await openLive(address, { hello: null, path: '/nowhere' });
    expect(elsewhere.refused()).toBe(404);
  });

  it.each([
    ['Sec-WebSocket-Key', {}],
    ['Sec-WebSocket-Protocol', { 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Protocol': 'a,,b' }],
  ])('refuses a handshake with an invalid %s in the envelope', async (name, sent) => {
    const appCode = { 'x-service-appcode': world.backend.appCode };
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const refused = request(`${address}/live`, { headers: { ...appCode, ...upgrade, ...sent } }).end();
    const [response] = await once(refused, 'response');
    expect(response.statusCode).toBe(400);
    expect(await json(response)).toMatchObject({ code: 'input.invalid', message: expect.stringContaining(name) });
  });
}

onEveryStorage('sockets of `GET /live`', scenarios, { secrets });
