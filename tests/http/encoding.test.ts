import { describe, expect, it } from 'vitest';
import { onEveryStorage, type World } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, stored, upload } from '../support/files.ts';
import { adminOf } from '../support/people.ts';

/** Invalid UTF-8 between two valid characters. */
const BYTES = [
  ['a Latin-1 byte', [0xe9]],
  ['a lone continuation byte', [0x80]],
  ['a truncated character', [0xe2, 0x82]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
] as const;

/** Large enough that a body arrives in several chunks and must be checked as a whole. */
const around = (bytes: readonly number[], [before, after]: readonly [string, string], padding = 0) =>
  Buffer.concat([Buffer.from(before + 'é'.repeat(padding)), Buffer.from(bytes), Buffer.from(after)]);
const encoded = (bytes: readonly number[]) => bytes.map((byte) => `%${byte.toString(16)}`).join('');

onEveryStorage('invalid UTF-8', (world) => {
  const call: World['call'] = (...args) => world.call(...args);

  describe.each(BYTES)('(%s)', (_what, bytes) => {
    it('is 400 in a JSON body, and nothing is stored', async () => {
      const { collection, owner, create, path, ids } = await createShelf(world);
      const { id } = await create({ a: 1 });
      const { token } = owner;
      for (const padding of [0, 60_000]) {
        const payload = around(bytes, ['{"data":"', '"}'], padding);
        for (const [method, url] of [
          ['POST', `/document/${collection}`],
          ['PUT', path(id)],
          ['PUT', `${path(id)}/.a`],
          ['PUT', '/me'],
        ] as const) {
          const answer = await call(method, url, { token, bytes: { type: 'application/json', payload } });
          expectFailure(answer, 400);
          expect(answer.body.message).toContain('UTF-8');
        }
      }
      expect(await ids({ token })).toEqual([id]);
      expect((await call('GET', path(id), { token })).data).toMatchObject({ a: 1, '@version': 1 });
    });

    it('is 400 in a form, raw and percent-encoded', async () => {
      const { name } = await world.user();
      for (const payload of [
        around(bytes, [`username=${name}&password=secret`, ''], 5),
        Buffer.from(`username=${name}&password=secret${encoded(bytes)}`),
      ]) {
        const type = 'application/x-www-form-urlencoded';
        expectFailure(await call('POST', '/login', { bytes: { type, payload } }), 400);
      }
    });

    it('is 400 in a path and in a query', async () => {
      const { collection, owner } = await createShelf(world);
      const { token } = owner;
      for (const url of [
        `/document/${collection}?where=a%3D%3F&params=x${encoded(bytes)}`,
        `/document/${collection}?call_id=${encoded(bytes)}`,
        `/user/x${encoded(bytes)}`,
      ]) {
        expectFailure(await call('GET', url, { token }), 400);
      }
      const settings = `/admin/configuration/Application/application.name/${encoded(bytes)}`;
      expectFailure(await call('PUT', settings, { basic: adminOf(world) }), 400);
    });

    it('is 401 in Basic credentials', async () => {
      const { name } = await world.user();
      const authorization = `Basic ${around(bytes, [`${name}:secret`, '']).toString('base64')}`;
      expectFailure(await call('GET', '/me', { headers: { authorization } }), 401);
    });
  });

  it('is told from valid text: every text is returned unchanged, U+FFFD too', async () => {
    const { collection, owner } = await createShelf(world);
    const { token } = owner;
    const text = 'é€𝄞\uFFFD'.repeat(20_000);
    const { status, data } = await call('POST', `/document/${collection}`, { token, body: { text } });
    expect([status, data.text]).toEqual([200, text]);
    const short = text.slice(0, 50);
    const query = `where=${encodeURIComponent('text like ?')}&params=${encodeURIComponent(`${short}%`)}`;
    expect((await call('GET', `/document/${collection}?${query}`, { token })).data).toHaveLength(1);
    const name = world.unique('é\uFFFD');
    await world.user(name);
    const form = { username: name, password: 'secret' };
    expect((await call('POST', '/login', { form })).data.user.name).toBe(name);
  });

  it('does not include a lone percent sign in a query or a form', async () => {
    const { collection, owner, create } = await createShelf(world);
    await create({ a: '50%' });
    const { data } = await call('GET', `/document/${collection}?where=a%3D%3F&params=50%`, { token: owner.token });
    expect(data).toHaveLength(1);
    const payload = Buffer.from('username=é%&password=x%2');
    const bytes = { type: 'application/x-www-form-urlencoded', payload };
    expectFailure(await call('POST', '/login', { bytes }), 401);
  });

  it.each(BYTES)('is 400 in the fields of a form with a file (%s)', async (_what, bytes) => {
    const { token } = await world.user();
    for (const type of [undefined, 'text/plain', 'text/plain; charset=UTF-8', 'application/json; charset=utf-8']) {
      const content = around(bytes, ['{"a":"', '"}']);
      for (const name of ['attachedData', 'acl']) {
        const field = type === undefined ? { name, content } : { name, content, type };
        expectFailure(await upload(world, token, filePart('x'), field), 400);
        expectFailure(await upload(world, token, field, filePart('x')), 400);
      }
    }
    for (const type of ['text/plain; charset=UTF-8', 'text/plain']) {
      const field = { name: 'attachedData', content: '{"a":"éÿ\\ufffd"}', type };
      expect((await stored(world, token, field, filePart('x'))).attachedData).toEqual({ a: 'éÿ\uFFFD' });
    }
  });
});
