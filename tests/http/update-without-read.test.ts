import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { adminOf, expectStatus } from '../support/people.ts';

const SECRET = 'canary';
const CONTENT = { secret: SECRET, list: [SECRET, SECRET], n: 1 };
const OUTLINE = ['@ID', '@class', '@rid', '@version', '_creation_date', '_update_date', 'id'];

onEveryStorage('the right to update without the right to read', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  /** A document of somebody, and a user who may update it but not read it. */
  async function scene(how: 'grant' | 'group' | 'rule') {
    const [collection, author, writer] = [await world.collection(), await world.user(), await world.user()];
    const created = call('POST', `/document/${collection}`, { token: author.token, body: CONTENT });
    const { id } = (await expectStatus(created, 200)).data;
    const url = `/document/${collection}/${id}`;
    const asAuthor = (method: string, path: string) => expectStatus(call(method, path, { token: author.token }), 200);
    if (how === 'grant') await asAuthor('PUT', `${url}/update/user/${writer.name}`);
    if (how === 'group') {
      const group = await expectStatus(call('POST', '/group', { token: writer.token, body: { name: 'G' } }), 201);
      await expectStatus(call('PUT', `${url}/update/group/${group.data.id}`, { basic: adminOf(world) }), 200);
    }
    if (how === 'rule') {
      const body = { update: ['registereduser'] };
      await expectStatus(call('PUT', `/admin/collection/${collection}/rules`, { basic: adminOf(world), body }), 200);
    }
    const write = (method: string, path: string, options: CallOptions = {}) =>
      call(method, `${url}${path}`, { token: writer.token, ...options });
    return { collection, id, url, author, writer, write };
  }

  function expectOutline({ status, text, data }: Answer, version: number, id: string): void {
    expect(status).toBe(200);
    expect(text).not.toContain(SECRET);
    expect(Object.keys(data).sort()).toEqual(OUTLINE);
    expect(data).toMatchObject({ id, '@version': version });
  }

  it.each(['grant', 'group', 'rule'] as const)('changes answer no content, by a %s', async (how) => {
    const { id, author, url, write } = await scene(how);
    expectOutline(await write('PUT', '/.n', { body: { data: 2 } }), 2, id);
    expectOutline(await write('PUT', '/.list[]', { body: { data: 'x' } }), 3, id);
    expectOutline(await write('DELETE', '/.n'), 4, id);
    await expectStatus(write('GET', ''), 403);
    expect((await call('GET', url, { token: author.token })).data).toMatchObject({ list: [SECRET, SECRET, 'x'] });
    expectOutline(await write('PUT', '', { body: { other: 1 } }), 5, id);
    expect((await call('GET', url, { token: author.token })).data).toMatchObject({ other: 1, '@version': 5 });
  });

  it('calls with an idempotency key and their replays answer no content', async () => {
    const { id, write } = await scene('grant');
    const headers = { 'idempotency-key': 'once' };
    expectOutline(await write('PUT', '/.n', { body: { data: 2 }, headers }), 2, id);
    const replay = await write('PUT', '/.n', { body: { data: 2 }, headers });
    expect(replay.headers['idempotency-replayed']).toBe('true');
    expectOutline(replay, 2, id);
  });

  it.each([true, false])('batches answer no content, atomic: %s', async (atomic) => {
    const { collection, id, writer } = await scene('grant');
    const url = `/document/${collection}/${id}`;
    const operations = [
      { method: 'PUT', path: `${url}/.n`, body: { data: 2 } },
      { method: 'DELETE', path: `${url}/.n` },
      { method: 'PUT', path: url, body: { n: 3 } },
    ];
    const answer = await call('POST', '/batch', { token: writer.token, body: { atomic, operations } });
    expect(answer.status).toBe(200);
    for (const [i, one] of answer.data.entries()) {
      expect(Object.keys(one.data).sort()).toEqual(OUTLINE);
      expect(one.data['@version']).toBe(i + 2);
    }
    expect(answer.text).not.toContain(SECRET);
  });

  it('changes answer the whole document as soon as it can be read', async () => {
    const { url, author, writer, write } = await scene('grant');
    await expectStatus(call('PUT', `${url}/read/user/${writer.name}`, { token: author.token }), 200);
    expect((await write('PUT', '/.n', { body: { data: 2 } })).data).toMatchObject({ ...CONTENT, n: 2 });
    const whole = (await write('PUT', '', { body: { ...CONTENT, n: 3 } })).data;
    expect(whole).toMatchObject({ ...CONTENT, n: 3, _author: author.name });
    await expectStatus(call('DELETE', `${url}/read/user/${writer.name}`, { token: author.token }), 200);
    expect(Object.keys((await write('PUT', '/.n', { body: { data: 4 } })).data).sort()).toEqual(OUTLINE);
  });

  it('followers get the whole document while followers may read it', async () => {
    const { author, writer, write } = await scene('grant');
    await expectStatus(call('POST', `/follow/${author.name}`, { token: writer.token }), 201);
    const setting = '/admin/configuration/Application/followers.read.documents';
    await expectStatus(call('PUT', `${setting}/true`, { basic: adminOf(world) }), 200);
    expect((await write('PUT', '', { body: CONTENT })).data).toMatchObject(CONTENT);
    await expectStatus(call('PUT', `${setting}/false`, { basic: adminOf(world) }), 200);
    expect(Object.keys((await write('PUT', '', { body: CONTENT })).data).sort()).toEqual(OUTLINE);
  });

  it('errors say nothing about other fields', async () => {
    const { collection, id, writer, write } = await scene('grant');
    const failed = async (method: string, path: string, data?: unknown) => {
      const { body } = await write(method, path, data === undefined ? {} : { body: { data } });
      return { code: body.code, message: body.message, errors: body.errors };
    };
    const missing = await failed('PUT', '/.none[3]', 1);
    expect(await failed('PUT', '/.list[7]', 1)).toEqual(missing);
    expect(await failed('PUT', '/.list/.inner', 1)).toEqual(missing);
    expect(await failed('PUT', '/.secret/.inner', 1)).toEqual(missing);
    expect(missing).toMatchObject({ code: 'field.unreachable', errors: undefined });

    const schema = {
      properties: { n: { type: 'object', properties: { a: { type: 'integer' } } }, secret: { const: 'other' } },
      required: ['secret'],
    };
    const set = call('PUT', `/admin/collection/${collection}/schema`, { basic: adminOf(world), body: schema });
    await expectStatus(set, 200);
    const own = await failed('PUT', '/.n', { a: 'x' });
    expect(own).toMatchObject({ code: 'document.invalid', errors: [{ path: '/n/a' }] });
    expect(JSON.stringify(own)).not.toContain('secret');
    expect(await failed('PUT', '/.n', { a: 1 })).toMatchObject({ code: 'document.invalid', errors: undefined });
    expect(await failed('DELETE', '/.list')).toMatchObject({ code: 'document.invalid', errors: undefined });
    const body = { operations: [{ method: 'DELETE', path: `/document/${collection}/${id}/.list` }] };
    const [answer] = (await expectStatus(call('POST', '/batch', { token: writer.token, body }), 200)).data;
    expect(answer).toMatchObject({ code: 'document.invalid' });
    expect(JSON.stringify(answer)).not.toMatch(/secret|other/);
  });

  it('patches answer no content, and their errors say nothing about other fields', async () => {
    const { collection, id, write } = await scene('grant');
    expectOutline(await write('PATCH', '', { body: { increment: { n: 1 }, append: { list: ['x'] } } }), 2, id);
    const bytes = { type: 'application/merge-patch+json', payload: Buffer.from('{"n":7}') };
    expectOutline(await write('PATCH', '', { bytes }), 3, id);

    const failed = async (options: CallOptions) => {
      const { body } = await write('PATCH', '', options);
      const { code, message, errors } = body;
      expect(JSON.stringify({ message, errors })).not.toMatch(/secret|canary|length|not an (?:object|array)/);
      return { code, errors };
    };
    const typed = await failed({ body: { increment: { list: 1 } } });
    expect(typed).toEqual({
      code: 'field.type_invalid',
      errors: [{ path: '/list', message: expect.stringContaining('is not a number') }],
    });
    const reason = 'A parent of this path is neither an object nor an array';
    for (const path of ['none.a', 'list[9]', 'n.a']) {
      const { code, errors } = await failed({ body: { set: { m: 1, [path]: 1 } } });
      expect([code, errors[0].message]).toEqual(['field.unreachable', reason]);
    }

    const schema = { properties: { n: { type: 'integer' }, secret: { const: 'other' } }, required: ['secret'] };
    const set = call('PUT', `/admin/collection/${collection}/schema`, { basic: adminOf(world), body: schema });
    await expectStatus(set, 200);
    expect(await failed({ body: { increment: { n: 0.5 } } })).toMatchObject({
      code: 'document.invalid',
      errors: [{ path: '/n' }],
    });
    expect(await failed({ bytes })).toEqual({ code: 'document.invalid', errors: undefined });
  });
});
