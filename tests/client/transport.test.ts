import { createServer, type RequestListener, type Server } from 'node:http';
import { type Baobab, type ClientOptions, createClient, increment, isBaobabError, type Progress } from '@baobab/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BaobabError } from '../../packages/client/src/errors.ts';
import { waitBefore } from '../../packages/client/src/transport/retry.ts';
import { type ClientService, nameOf, openClientService, PASSWORD } from '../support/client-service.ts';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';

const failureOf = async (call: Promise<unknown>) => {
  try {
    await call;
  } catch (error) {
    if (isBaobabError(error)) return error;
    throw error;
  }
  throw new Error('the call succeeded');
};

describe('a client on a bad connection', () => {
  let service: ClientService;
  let proxy: FaultyProxy;
  let client: Baobab;
  let collection: string;

  const onProxy = (options: Partial<ClientOptions> = {}) =>
    service.client({ url: proxy.url, fetch: (...args) => fetch(...args), ...options });

  /** Loses the answers to the next requests with this method and path. */
  function lose(method: string, path: RegExp, times = 1): { readonly seen: () => number } {
    const from = proxy.seen.length;
    let left = times;
    proxy.behave((request) => {
      if (request.method !== method || !path.test(request.url) || left-- <= 0) return null;
      return { kind: 'cut', after: 0 };
    });
    return {
      seen: () => proxy.seen.slice(from).filter(({ method: sent, url }) => sent === method && path.test(url)).length,
    };
  }

  beforeAll(async () => {
    service = await openClientService();
    proxy = await startFaultyProxy(service.url);
    client = await service.user({ url: proxy.url, fetch: (...args) => fetch(...args) });
    collection = await service.collection();
  });
  afterEach(() => proxy.behave(() => null));
  afterAll(async () => {
    await proxy.close();
    await service.close();
  });

  it('creates, changes and removes documents once when answers are lost', async () => {
    const notes = client.collection(collection);
    const lost = lose('POST', /document/, 2);
    const { id } = await notes.create({ tags: [] });
    expect([lost.seen(), await notes.query().count()]).toEqual([3, 1]);
    lose('PUT', /\.tags/);
    expect((await notes.append(id, 'tags', 'a')).tags).toEqual(['a']);
    lose('PUT', /document/);
    expect((await notes.replace(id, { tags: ['b', 'c'] }, { version: 2 }))['@version']).toBe(3);
    lose('DELETE', /\.tags/);
    expect((await notes.removeField(id, 'tags[0]')).tags).toEqual(['c']);
    lose('PATCH', /document/);
    expect(await notes.update(id, { a: 1, b: increment(2) }, { version: 4 })).toMatchObject({
      a: 1,
      b: 2,
      '@version': 5,
    });
    const removed = lose('DELETE', /document/);
    await notes.remove(id);
    expect([removed.seen(), await notes.query().count()]).toEqual([2, 0]);
  });

  it('reads a document whose stored answer would be too large', async () => {
    const notes = client.collection(collection);
    const { id } = await notes.create({ text: 'x'.repeat(40_000) });
    lose('PUT', /\.done/);
    expect(await notes.setField(id, 'done', true)).toMatchObject({ done: true, '@version': 2 });
    await notes.remove(id);
  });

  it('signs up once', async () => {
    const fresh = onProxy();
    const username = service.unique('ann');
    const lost = lose('POST', /\/user$/);
    await fresh.auth.signUp({ username, password: PASSWORD });
    expect([nameOf(fresh), lost.seen()]).toEqual([username, 2]);
    expect((await fresh.users.me()).user.name).toBe(username);
    // Nothing arrives at all.
    const other = onProxy();
    let left = 1;
    proxy.behave(({ url }) => (url === '/user' && left-- > 0 ? { kind: 'answer', status: 502 } : null));
    const second = service.unique('bob');
    await other.auth.signUp({ username: second, password: PASSWORD });
    expect((await other.users.me()).user.name).toBe(second);
    // The name of somebody else stays refused.
    lose('POST', /\/user$/);
    expect((await failureOf(onProxy().auth.signUp({ username, password: 'another' }))).code).toBe('user.exists');
  });

  it('reaches the same state by calls that are repeated', async () => {
    const other = await service.user();
    const name = nameOf(other);
    lose('POST', /follow/);
    expect(await client.following.follow(name)).toBe('following');
    lose('DELETE', /follow/);
    await client.following.unfollow(name);
    expect((await failureOf(client.following.unfollow(name))).code).toBe('follow.not_found');
  });

  it('creates groups, files, messages and what administrators name once', async () => {
    const grouped = lose('POST', /group/);
    const { id } = await client.groups.create('once');
    expect([grouped.seen(), (await client.groups.list()).map((group) => group.id)]).toEqual([2, [id]]);
    const uploaded = lose('POST', /file/);
    const file = await client.files.upload(new Blob(['x']), { attachedData: { a: 1 } });
    expect([uploaded.seen(), (await client.files.query().list()).map((one) => one.id)]).toEqual([2, [file.id]]);

    const root = onProxy();
    await root.auth.login({ username: 'admin', password: service.backend.adminPassword });
    const name = service.unique('named');
    const collected = lose('POST', /collection/);
    await root.admin.collections.create(name);
    const roles = lose('POST', /role/);
    await root.admin.roles.create(name, { description: 'd' });
    const assets = lose('POST', /asset/);
    await root.admin.assets.create(name, { file: new Blob(['x']) });
    expect([collected.seen(), roles.seen(), assets.seen()]).toEqual([2, 2, 2]);
    const push = { 'push.android.project': 'my-app', 'push.android.service_account': '{"client_email":"a"}' };
    for (const [key, value] of Object.entries(push)) await root.admin.settings.set('Push', key, value);
    const message = { message: 'Hello' };
    const state = lose('POST', /push/);
    expect((await root.push.send([nameOf(client)], message)).devices).toEqual([]);
    expect(state.seen()).toBe(2);
  });

  it('uploads a stream once when the app sends it again with the same key', async () => {
    const before = await client.files.query().count();
    const options = { name: 'a.txt', idempotencyKey: service.unique('upload-') };
    async function* chunks() {
      yield new Uint8Array([65, 66]);
    }
    const lost = lose('POST', /file/);
    expect((await failureOf(client.files.upload(chunks(), options))).code).toBe('client.network');
    const file = await client.files.upload(chunks(), options);
    expect([lost.seen(), await client.files.query().count()]).toEqual([2, before + 1]);
    expect(await (await client.files.download(file.id)).text()).toBe('AB');
  });

  it('uploads a file with progress once when its answer is lost', async () => {
    const before = await client.files.query().count();
    const sent: number[] = [];
    const lost = lose('POST', /file/);
    const onProgress = (progress: Progress) => sent.push(progress.sent);
    const file = await client.files.upload(new Blob(['AB']), { onProgress });
    expect([lost.seen(), await client.files.query().count()]).toEqual([2, before + 1]);
    expect([await (await client.files.download(file.id)).text(), sent.at(-1)]).toEqual(['AB', 2]);
  });

  it('does not take mistakes of the app for a broken connection', async () => {
    const notes = client.collection(collection);
    for (const idempotencyKey of ['schlüssel', 'a\nb', '']) {
      expect((await failureOf(notes.create({}, { idempotencyKey }))).code).toBe('idempotency.key_invalid');
    }
    for (const url of ['localhost:9000', 'api.example.org', 'ftp://api.example.org']) {
      expect(() => createClient({ url, appCode: 'x' })).toThrow('must begin with https://');
    }
  });

  it('joins a group once', async () => {
    const member = await service.user({ url: proxy.url, fetch: (...args) => fetch(...args) });
    const { id, name } = await client.groups.create('once');
    const { code } = await client.groups.invite(id);
    const joined = lose('POST', /invitation/);
    expect(await member.groups.join(code)).toEqual({ id, name, role: 'member' });
    await member.groups.removeMember(id, nameOf(member));
    await client.groups.setMember(id, nameOf(member));
    const accepted = lose('PUT', /group-invitations/);
    expect(await member.groups.accept(id)).toEqual({ id, name, role: 'member' });
    expect([joined.seen(), accepted.seen()]).toEqual([2, 2]);
    expect((await failureOf(member.groups.accept(id))).code).toBe('group.invitation_not_found');
  });

  it('does not repeat what the user may not do twice', async () => {
    const other = await service.user();
    const { id } = await client.groups.create('handed over');
    const { code } = await client.groups.invite(id);
    await other.groups.join(code);
    const invited = lose('POST', /invitation/);
    expect((await failureOf(client.groups.invite(id))).code).toBe('client.network');
    expect([invited.seen(), (await client.groups.codes(id).page()).rows.length]).toEqual([1, 1]);
    const transferred = lose('PUT', /member/);
    expect((await failureOf(client.groups.setMember(id, nameOf(other), 'owner'))).code).toBe('client.network');
    expect([transferred.seen(), (await client.groups.get(id)).role]).toEqual([1, 'manager']);
    const theirs = other.collection(collection);
    const { id: document } = await theirs.create({ a: 1 });
    await theirs.grant(document, 'all', { user: nameOf(client) });
    const mine = client.collection(collection);
    const revoked = lose('DELETE', /document/);
    expect((await failureOf(mine.revoke(document, 'all', { user: nameOf(client) }))).code).toBe('client.network');
    expect([revoked.seen(), await mine.find(document)]).toEqual([1, null]);
  });

  it('does not repeat what would happen twice', async () => {
    const root = onProxy();
    await root.auth.login({ username: 'admin', password: service.backend.adminPassword });
    const lost = lose('POST', /webhook/);
    const webhook = { url: 'https://receiver.example', collections: [collection] };
    expect((await failureOf(root.admin.webhooks.create(webhook))).code).toBe('client.network');
    const [created, ...others] = await root.admin.webhooks.list();
    expect([lost.seen(), others]).toEqual([1, []]);
    await root.admin.webhooks.remove(created?.id ?? '');
  });

  it('gives up after some attempts', async () => {
    const patient = onProxy({ retries: 2 });
    proxy.behave(() => ({ kind: 'cut', after: 0 }));
    const from = proxy.seen.length;
    expect(await failureOf(patient.assets.get('x'))).toMatchObject({ code: 'client.network', status: 0 });
    expect(proxy.seen.length - from).toBe(3);
    proxy.behave(() => ({ kind: 'answer', status: 504, body: '<html>' }));
    expect(await failureOf(patient.assets.get('x'))).toMatchObject({ code: 'client.answer', status: 504 });
    expect(proxy.seen.length - from).toBe(6);
    proxy.behave(() => ({ kind: 'answer', status: 500, body: '<html>' }));
    expect(await failureOf(patient.assets.get('x'))).toMatchObject({ code: 'client.answer', status: 500 });
    expect(proxy.seen.length - from).toBe(7);
  });

  it('limits the time of each attempt, and ends when the app says so', async () => {
    // On a busy machine an attempt ends before the proxy has seen it.
    let attempts = 0;
    const counting: typeof fetch = (...args) => {
      attempts++;
      return fetch(...args);
    };
    const hasty = onProxy({ timeout: 50, retries: 1, fetch: counting });
    proxy.behave(() => ({ kind: 'silence' }));
    expect((await failureOf(hasty.assets.get('x'))).code).toBe('client.timeout');
    expect(attempts).toBe(2);
    const controller = new AbortController();
    const call = client.assets.get('x', { signal: controller.signal });
    const reason = new Error('the page was left');
    setTimeout(() => controller.abort(reason), 20);
    expect(await failureOf(call)).toMatchObject({ code: 'client.aborted', cause: reason });
    // Also while it waits for the next attempt, and before the first.
    proxy.behave(() => ({ kind: 'answer', status: 503, body: '' }));
    expect((await failureOf(client.assets.get('x', { signal: controller.signal }))).code).toBe('client.aborted');
  });

  it.each([2 ** 31, Number.POSITIVE_INFINITY])('takes %d milliseconds as a timeout', async (timeout) => {
    expect((await failureOf(onProxy({ timeout, retries: 0 }).assets.get('x'))).code).toBe('asset.not_found');
  });

  it('reads a body that ends too early as a lost answer', async () => {
    let left = 1;
    proxy.behave(() => (left-- > 0 ? { kind: 'cut', after: 20 } : null));
    expect((await client.users.me()).user.name).toBe(nameOf(client));
  });
});

describe('a client of a service that is busy', () => {
  let server: Server | null = null;
  let calls: { readonly method: string; readonly key: string | undefined }[] = [];

  async function serve(answer: RequestListener): Promise<Baobab> {
    calls = [];
    server = createServer((request, response) => {
      const key = request.headers['idempotency-key']?.toString();
      calls.push({ method: request.method ?? '', key });
      answer(request, response);
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server does not listen');
    return createClient({ url: `http://127.0.0.1:${address.port}/`, appCode: 'x', keepAlive: 0 });
  }
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  });

  const failure = (status: number, code: string, headers: Record<string, string> = {}) =>
    ((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ result: 'error', code, message: code, http_code: status }));
    }) satisfies RequestListener;

  it('sends the same key with each attempt, and another one with each call', async () => {
    const client = await serve(failure(503, 'storage.unavailable', { 'retry-after': '0' }));
    const notes = client.collection('notes');
    await Promise.all([failureOf(notes.create({ a: 1 })), failureOf(notes.remove('x'))]);
    const sent = (wanted: string) => calls.filter(({ method }) => method === wanted).length;
    expect([sent('POST'), sent('DELETE')]).toEqual([4, 4]);
    expect(new Set(calls.map(({ method, key }) => `${method} ${key}`)).size).toBe(2);
    expect(calls.every(({ key }) => /^[0-9a-f]{32}$/.test(key ?? ''))).toBe(true);
  });

  it('does not wait longer than a user does', async () => {
    const client = await serve(failure(429, 'rate.limited', { 'retry-after': '300' }));
    const error = await failureOf(client.auth.login({ username: 'a', password: 'b' }));
    expect([error.code, error.status, error.retryAfter, calls.length]).toEqual(['rate.limited', 429, 300, 1]);
  });

  it('does not repeat what cannot succeed', async () => {
    const client = await serve(failure(503, 'push.unconfigured', { 'retry-after': '1' }));
    expect((await failureOf(client.push.state('x'))).code).toBe('push.unconfigured');
    expect(calls.length).toBe(1);
  });

  it('understands answers of other programs as what they are', async () => {
    const client = await serve((_request, response) =>
      response.writeHead(200).end('<html>a login page of a hotel</html>'),
    );
    expect(await failureOf(client.users.me())).toMatchObject({ code: 'client.answer', status: 200 });
  });
});

describe('the wait before an attempt', () => {
  const error = (retryAfter: number | null) => new BaobabError('rate.limited', '', { status: 429, retryAfter });

  it('grows up to ten seconds, with full jitter', () => {
    const longest = [0, 1, 2, 3, 10].map((attempt) => waitBefore(attempt, error(null), () => 1));
    expect(longest).toEqual([300, 600, 1200, 2400, 10_000]);
    expect([0, 10].map((attempt) => waitBefore(attempt, error(null), () => 0))).toEqual([0, 0]);
  });

  it('is at least what the service asks for', () => {
    expect(waitBefore(0, error(2), () => 0)).toBe(2000);
    expect(waitBefore(0, error(2), () => 1)).toBe(2300);
    expect(waitBefore(0, error(31), () => 0)).toBeNull();
  });
});
