import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { publish, published } from '../support/assets.ts';
import type { CallOptions } from '../support/backend.ts';
import { onEveryStore } from '../support/blobs.ts';
import { UUID, WIRE_DATE } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, multipart, SAMPLES } from '../support/files.ts';

/** No application code and no session, as in a request for an `<img>`. */
const nobody = { appCode: null } as const;

onEveryStore('file assets', (world) => {
  const get = (path: string, options: CallOptions = nobody) => world.call('GET', `/asset/${path}`, options);

  it('are published with their name, metadata and headers, and are readable by everybody', async () => {
    const name = world.unique('Logo_1.0-');
    const { status, data } = await publish(
      world,
      name,
      filePart(SAMPLES.png, { fileName: 'grüße.png', type: 'image/png' }),
      { name: 'meta', content: '{"b":1,"a":[true]}' },
    );
    expect([status, data]).toEqual([
      201,
      {
        id: expect.stringMatching(UUID),
        name,
        meta: { b: 1, a: [true] },
        _creation_date: expect.stringMatching(WIRE_DATE),
        _author: 'admin',
        fileName: 'grüße.png',
        contentType: 'image/png',
        contentLength: SAMPLES.png.length,
      },
    ]);
    expect((await get(`${name}/data`)).data).toEqual(data);
    const answer = await get(name);
    expect([answer.status, answer.bytes]).toEqual([200, SAMPLES.png]);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(SAMPLES.png.length),
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=300',
      'content-disposition': `inline; filename="gr??e.png"; filename*=UTF-8''gr%C3%BC%C3%9Fe.png`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[0-9a-f]{32}\.[0-9a-f]{8}"$/),
      'last-modified': expect.stringMatching(/ GMT$/),
    });
    const saved = await get(`${name}/download`);
    expect([saved.status, saved.bytes]).toEqual([200, SAMPLES.png]);
    expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="gr\?\?e\.png"/);
  });

  it('may be uploaded as a form with its parts in any order, or without a file', async () => {
    const file = filePart(randomBytes(200_000), { type: 'application/octet-stream' });
    const [meta, token] = [{ name: 'meta', content: '[1]' }, await world.admin()];
    for (const order of [0, 1, 2]) {
      const name = { name: 'name', content: world.unique('asset') };
      const parts = [[name, file, meta] as const, [file, meta, name] as const, [meta, name] as const][order] ?? [];
      const { status, data } = await world.call('POST', '/admin/asset', { token, bytes: multipart(...parts) });
      expect([status, data.meta, data.contentLength]).toEqual([201, [1], order === 2 ? undefined : 200_000]);
      expect((await get(name.content)).status).toBe(order === 2 ? 404 : 200);
    }
  });

  it('support ranges, conditional requests and HEAD', async () => {
    const bytes = randomBytes(300_000);
    const name = await published(world, bytes, { type: 'application/octet-stream' });
    const part = await get(name, { ...nobody, headers: { range: 'bytes=100000-100009' } });
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(100_000, 100_010)]);
    expect(part.headers['content-range']).toBe('bytes 100000-100009/300000');
    expect((await get(name, { ...nobody, headers: { range: 'bytes=300000-' } })).status).toBe(416);
    const etag = String(part.headers.etag);
    for (const path of [name, `${name}/download`]) {
      const same = await get(path, { ...nobody, headers: { 'if-none-match': etag } });
      expect([same.status, same.text, same.headers.etag]).toEqual([304, '', etag]);
    }
    const modified = String(part.headers['last-modified']);
    expect((await get(name, { ...nobody, headers: { 'if-modified-since': modified } })).status).toBe(304);
    expect((await get(name, { ...nobody, headers: { 'if-match': '"other"' } })).status).toBe(412);
    const head = await world.call('HEAD', `/asset/${name}`, nobody);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '300000']);
    expect((await world.call('HEAD', '/asset/nowhere', nobody)).status).toBe(404);
  });

  it('may be empty', async () => {
    const name = await published(world, '');
    const { status, text, headers } = await get(name);
    expect([status, text, headers['content-length']]).toEqual([200, '', '0']);
  });

  it('get new bytes and a new ETag when the name is reused', async () => {
    const name = await published(world, 'one');
    const first = await get(name);
    expect((await publish(world, name, filePart('two'))).status).toBe(400);
    const token = await world.admin();
    expect((await world.call('DELETE', `/admin/asset/${name}`, { token })).status).toBe(200);
    expect((await get(name)).status).toBe(404);
    expect((await publish(world, name, filePart('two'))).status).toBe(201);
    const headers = { 'if-none-match': String(first.headers.etag) };
    const second = await get(name, { ...nobody, headers });
    expect([second.status, second.text]).toEqual([200, 'two']);
  });

  it('get a new ETag when the name is reused with another media type', async () => {
    const name = await published(world, 'a,b', { type: 'text/plain' });
    const first = await get(name);
    await world.call('DELETE', `/admin/asset/${name}`, { token: await world.admin() });
    await publish(world, name, filePart('a,b', { type: 'text/csv', fileName: 'a.csv' }));
    const second = await get(name, { ...nobody, headers: { 'if-none-match': String(first.headers.etag) } });
    expect([second.status, second.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  });

  it('are created once when many requests for one name arrive at the same time', async () => {
    const name = world.unique('asset');
    const attempts = Array.from({ length: 8 }, (_, i) => publish(world, name, filePart(`${i}`.repeat(1000))));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, ...Array(7).fill(400)]);
    const { text } = await get(name);
    expect(text).toBe((text[0] ?? '').repeat(1000));
    expect(text[0]).toBe(String(statuses.indexOf(201)));
  });

  it.each([
    ['an invalid name', [{ name: 'name', content: 'a b' }, filePart('x')]],
    ['an invalid name after the file', [filePart('x'), { name: 'name', content: '..' }]],
    ['no name', [filePart('x')]],
    ['neither name nor file', [{ name: 'meta', content: '{}' }]],
    ['meta that is not JSON', [{ name: 'name', content: 'never-1' }, filePart('x'), { name: 'meta', content: '{' }]],
    [
      'meta that is not JSON before the file',
      [{ name: 'name', content: 'never-2' }, { name: 'meta', content: '{' }, filePart('x')],
    ],
    ['two files', [{ name: 'name', content: 'never-3' }, filePart('x'), filePart('y')]],
  ])('are rejected with 400: %s', async (_what, parts) => {
    const answer = await world.call('POST', '/admin/asset', { token: await world.admin(), bytes: multipart(...parts) });
    expectFailure(answer, 400);
    for (const name of ['never-1', 'never-2', 'never-3']) expect((await get(`${name}/data`)).status).toBe(404);
  });

  it('can be published by administrators only', async () => {
    const { token } = await world.user();
    const bytes = multipart({ name: 'name', content: world.unique('asset') }, filePart('x'));
    const refused = await world.call('POST', '/admin/asset', { token, bytes });
    expect([refused.status, refused.body.message]).toEqual([403, 'the user is not an Admin']);
    expect((await world.call('POST', '/admin/asset', { bytes })).status).toBe(401);
  });

  it('are served with headers that keep their content from running as part of the service', async () => {
    for (const [content, type, shown] of [
      [SAMPLES.html, 'text/html', 'text/html'],
      [SAMPLES.svg, 'image/svg+xml', 'image/svg+xml'],
      [SAMPLES.html, 'image/png', 'application/octet-stream'],
      [SAMPLES.gif, 'text/html', 'image/gif'],
      [SAMPLES.svg, 'audio/svg+xml', 'audio/svg+xml'],
      [SAMPLES.svg, 'Video/Example+XML', 'video/example+xml'],
      ['x', 'text/html\u0001', 'application/octet-stream'],
    ] as const) {
      const name = await published(world, content, { type, fileName: '../"é\\\u202e\u0007.html' });
      for (const path of [name, `${name}/download`]) {
        const { status, headers } = await get(path);
        expect([type, status, headers['content-type']]).toEqual([type, 200, shown]);
        expect(headers['x-content-type-options']).toBe('nosniff');
        expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox");
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is tested
        expect(headers['content-disposition']).not.toMatch(/[\u0000-\u001f\u202e/]|\.\./);
      }
    }
  });

  it('are 404 when they do not exist', async () => {
    for (const path of [
      'nowhere',
      'nowhere/data',
      'nowhere/download',
      '%2e%2e%2fpasswd',
      '..%5C..',
      'a%20b',
      '%F0%9F%98%80',
    ]) {
      expectFailure(await get(path), 404);
    }
  });
});
