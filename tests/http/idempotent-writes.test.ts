import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { filePart, multipart, type Part } from '../support/files.ts';

const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';
const outcome = (answer: Answer) => [answer.status, isReplay(answer)];

onEveryStorage('writes with an Idempotency-Key, besides those on documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const newKey = () => world.unique('key-');

  const send = (method: string, url: string, key: string, options: CallOptions) =>
    call(method, url, { ...options, headers: { ...options.headers, 'idempotency-key': key } });

  const root = async () => ({ token: await world.admin() });
  const blobCount = async () =>
    (await world.blobs.list({ olderThan: Number.MAX_SAFE_INTEGER, cursor: null, limit: 1000 })).keys.length;

  it('create a group once', async () => {
    const [ann, bob] = [await world.user(), await world.user()];
    const create = (key: string, { token }: { token: string }, name = 'g') =>
      send('POST', '/group', key, { token, body: { name } });
    const groupsOf = async ({ token }: { token: string }) => (await call('GET', '/group', { token })).data;
    const key = newKey();
    const first = await create(key, ann);
    expect(outcome(first)).toEqual([201, false]);
    const again = await create(key, ann);
    expect([...outcome(again), again.text]).toEqual([201, true, first.text]);
    expect((await create(key, ann, 'h')).body.code).toBe('idempotency.mismatch');
    const other = await create(key, bob);
    expect([...outcome(other), other.data.id === first.data.id]).toEqual([201, false, false]);
    expect([await groupsOf(ann), await groupsOf(bob)]).toEqual([[first.data], [other.data]]);

    const many = newKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(many, ann)));
    expect(answers.every(({ status, body }) => status === 201 || body.code === 'idempotency.busy')).toBe(true);
    expect(await groupsOf(ann)).toHaveLength(2);
  });

  it('take effect once for an API key, apart from the keys of its owner', async () => {
    const owner = await root();
    const body = { name: 'server', role: 'administrator' };
    const apiKey = await call('POST', '/admin/key', { ...owner, body });
    const server = { appCode: null, headers: { authorization: `Bearer ${apiKey.data.key}` } };
    const [key, url] = [newKey(), `/admin/role/${world.unique('n')}`];
    expect(outcome(await send('POST', url, key, server))).toEqual([201, false]);
    expect(outcome(await send('POST', url, key, server))).toEqual([201, true]);
    expect(outcome(await send('POST', url, key, owner))).toEqual([400, false]);
  });

  it('create groups of one user at the same time with different keys', async () => {
    const { token } = await world.user();
    const create = () => send('POST', '/group', newKey(), { token, body: { name: 'g' } });
    const answers = await Promise.all(Array.from({ length: 8 }, create));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect((await call('GET', '/group', { token })).data).toHaveLength(8);
  });

  it('repeat the failure of the first request', async () => {
    const { token } = await world.user();
    const key = newKey();
    const name = world.unique('c');
    const create = (as: CallOptions) => send('POST', `/admin/collection/${name}`, key, as);
    expect((await create({ token })).body.code).toBe('admin.required');
    await call('POST', `/admin/collection/${name}`, await root());
    for (const replayed of [false, true]) {
      const answer = await create(await root());
      expect([...outcome(answer), answer.body.code]).toEqual([400, replayed, 'collection.exists']);
      if (!replayed) await call('DELETE', `/admin/collection/${name}`, await root());
    }
  });

  it('repeat the message and the rule of a check, also in a batch', async () => {
    const { token } = await world.user();
    const collection = await world.collection();
    const body = { check: { create: 'new.ok = true' }, messages: { create: 'Not ok' } };
    expect((await call('PUT', `/admin/collection/${collection}/rules`, { ...(await root()), body })).status).toBe(200);
    const path = `/document/${collection}`;
    const operations = [{ method: 'POST', path, body: {} }];
    for (const [url, sent] of [
      [path, {}],
      ['/batch', { operations, atomic: true }],
    ] as const) {
      const key = newKey();
      for (const replayed of [false, true]) {
        const answer = await send('POST', url, key, { token, body: sent });
        expect(outcome(answer)).toEqual([403, replayed]);
        expect(answer.body).toMatchObject({ code: 'rule.refused', rule: 'create' });
        expect(answer.body.message).toMatch(/Not ok$/);
      }
    }
  });

  it('run again after a conflict that is resolved', async () => {
    const { token } = await world.user();
    const [parents, children] = [await world.collection(), await world.collection()];
    const parent = { field: 'up', collection: parents, read: 'read', onDelete: 'restrict' };
    const rules = { ...(await root()), body: { parent } };
    expect((await call('PUT', `/admin/collection/${children}/rules`, rules)).status).toBe(200);
    const unique = { ...(await root()), body: { unique: true } };
    expect((await call('PUT', `/admin/collection/${parents}/index/isbn`, unique)).status).toBe(201);
    const { data: first } = await call('POST', `/document/${parents}`, { token, body: { isbn: 'a' } });
    const { data: child } = await call('POST', `/document/${children}`, { token, body: { up: first.id } });

    const [removal, creation] = [newKey(), newKey()];
    const remove = () => send('DELETE', `/document/${parents}/${first.id}`, removal, { token });
    const create = () => send('POST', `/document/${parents}`, creation, { token, body: { isbn: 'a' } });
    for (let n = 0; n < 2; n++) {
      const answers = [await remove(), await create()];
      expect(answers.map(outcome)).toEqual(answers.map(() => [409, false]));
      expect(answers.map(({ body }) => body.code)).toEqual(['document.has_children', 'document.duplicate']);
      expect(answers[1]?.body.id).toBe(first.id);
    }
    await call('DELETE', `/document/${children}/${child.id}`, { token });
    expect(outcome(await remove())).toEqual([204, false]);
    expect(outcome(await create())).toEqual([200, false]);
  });

  it('create collections and roles once', async () => {
    for (const path of ['/admin/collection/', '/admin/role/']) {
      const [key, url] = [newKey(), path + world.unique('n')];
      const answers = [await send('POST', url, key, await root()), await send('POST', url, key, await root())];
      expect(answers.map(outcome)).toEqual([
        [201, false],
        [201, true],
      ]);
      expect((await send('POST', url, newKey(), await root())).status).toBe(400);
      expect((await send('POST', `${url}x`, key, await root())).status).toBe(422);
    }
  });

  it('store a file once, compared by its bytes, name, type and fields', async () => {
    const [ann, bob] = [await world.user(), await world.user()];
    const upload = (key: string, { token }: { token: string }, ...parts: readonly Part[]) =>
      send('POST', '/file', key, { token, bytes: multipart(...parts) });
    const idsOf = async ({ token }: { token: string }) =>
      (await call('GET', '/file/details', { token })).data.map(({ id }: { id: string }) => id);
    const key = newKey();
    const attached = { name: 'attachedData', content: '{"a":1}' };
    const first = await upload(key, ann, attached, filePart('one'));
    expect(outcome(first)).toEqual([201, false]);
    const blobs = await blobCount();
    const again = await upload(key, ann, attached, filePart('one'));
    expect([...outcome(again), again.text]).toEqual([201, true, first.text]);
    for (const parts of [
      [attached, filePart('two')],
      [attached, filePart('one', { fileName: 'other.txt' })],
      [attached, filePart('one', { type: 'text/css' })],
      [{ ...attached, content: '{"a":2}' }, filePart('one')],
      [attached, { name: 'acl', content: '{"read":{"roles":["registereduser"]}}' }, filePart('one')],
    ]) {
      const answer = await upload(key, ann, ...parts);
      expect([answer.status, answer.body.code]).toEqual([422, 'idempotency.mismatch']);
    }
    expect(await idsOf(ann)).toEqual([first.data.id]);
    expect(await blobCount()).toBe(blobs);
    const other = await upload(key, bob, attached, filePart('one'));
    expect([...outcome(other), await idsOf(bob)]).toEqual([201, false, [other.data.id]]);
    expect((await call('GET', `/file/${first.data.id}`, ann)).text).toBe('one');

    const many = newKey();
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload(many, ann, filePart('three'))));
    expect(answers.every(({ status, body }) => status === 201 || body.code === 'idempotency.busy')).toBe(true);
    expect(await idsOf(ann)).toHaveLength(2);
    expect(await blobCount()).toBe(blobs + 2);
  });

  it('publish an asset once', async () => {
    const name = world.unique('a');
    const form = async (key: string, content: string) =>
      send('POST', '/admin/asset', key, {
        ...(await root()),
        bytes: multipart({ name: 'name', content: name }, filePart(content)),
      });
    const key = newKey();
    const first = await form(key, 'one');
    const again = await form(key, 'one');
    expect([outcome(first), outcome(again), again.text]).toEqual([[201, false], [201, true], first.text]);
    expect((await form(key, 'two')).status).toBe(422);
    expect((await form(newKey(), 'one')).body.code).toBe('asset.exists');
    expect((await call('GET', `/asset/${name}`)).text).toBe('one');

    const object = async (meta: unknown, on = newKey()) =>
      send('POST', '/admin/asset', on, { ...(await root()), body: { name: `${name}-o`, meta } });
    const other = newKey();
    expect([outcome(await object({ n: 1 }, other)), outcome(await object({ n: 1 }, other))]).toEqual([
      [201, false],
      [201, true],
    ]);
    expect([(await object({ n: 2 }, other)).status, (await object({ n: 1 })).status]).toEqual([422, 400]);
  });
});
