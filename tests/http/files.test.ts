import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { onEveryStore } from '../support/blobs.ts';
import { NOWHERE, UUID, WIRE_DATE } from '../support/documents.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, multipart, SAMPLES, stored, upload } from '../support/files.ts';
import { personWithRole } from '../support/people.ts';

/** The head of a TIFF with its directory far behind the pixels. */
const TIFF = Buffer.concat([Buffer.from('49492a00ffff0f00', 'hex'), Buffer.alloc(8_000, 7)]);

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

onEveryStore('files', (world) => {
  it('are stored with their metadata, and read back', async () => {
    const { token, name } = await world.user();
    const data = await stored(world, token, filePart('Hello', { fileName: 'grüße.txt' }), {
      name: 'attachedData',
      content: '{"b":1, "a":[true]}',
    });
    expect(data).toEqual({
      id: expect.stringMatching(UUID),
      fileName: 'grüße.txt',
      contentType: 'text/plain',
      contentLength: 5,
      attachedData: { b: 1, a: [true] },
      metadata: { sha256: sha256('Hello') },
      _author: name,
      _creation_date: expect.stringMatching(WIRE_DATE),
      '@version': 1,
    });
    expect((await world.call('GET', `/file/details/${data.id}`, { token })).data).toEqual(data);
    expect((await world.call('GET', `/file/attachedData/${data.id}`, { token })).text).toContain('{"b":1,"a":[true]}');
    const { status, bytes, headers } = await world.call('GET', `/file/${data.id}`, { token });
    expect([status, bytes.toString()]).toEqual([200, 'Hello']);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '5',
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename="gr??e.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('are accepted as a form with its parts in any order', async () => {
    const { token } = await world.user();
    const file = filePart(Buffer.alloc(300_000, 'x'));
    const attached = { name: 'attachedData', content: '{"a":1}', type: 'application/json', fileName: 'blob' };
    const reader = await world.user();
    const acl = { name: 'acl', content: JSON.stringify({ read: { users: [reader.name] } }) };
    const other = { name: 'other', content: 'ignored' };
    for (const parts of [
      [file, attached, acl, other],
      [other, acl, attached, file],
      [attached, file, other, acl],
    ]) {
      const data = await stored(world, token, ...parts);
      expect(data).toMatchObject({ attachedData: { a: 1 }, contentLength: 300_000 });
      expect((await world.call('GET', `/file/${data.id}`, { token: reader.token })).bytes).toHaveLength(300_000);
    }
  });

  it('may be empty, and without a name or a type', async () => {
    const { token } = await world.user();
    const data = await stored(world, token, { name: 'file', content: '' });
    expect(data).toMatchObject({
      fileName: 'file',
      contentLength: 0,
      attachedData: {},
      metadata: { sha256: sha256('') },
    });
    const { status, bytes, headers } = await world.call('GET', `/file/${data.id}`, { token });
    expect([status, bytes.length, headers['content-length']]).toEqual([200, 0, '0']);
    const ranged = await world.call('GET', `/file/${data.id}`, { token, headers: { range: 'bytes=0-' } });
    expect(ranged.status).toBe(416);
  });

  it('are rejected when the form is invalid, and leave nothing', async () => {
    const { token } = await world.user();
    const file = filePart('x');
    const bad = [
      [400, [{ name: 'attachedData', content: '{}' }]],
      [400, [file, { name: 'attachedData', content: '{' }]],
      [400, [{ name: 'attachedData', content: '[1]' }, file]],
      [400, [file, { name: 'acl', content: '{"fly":{}}' }]],
      [400, [file, { name: 'acl', content: '{"read":{"users":["nobody at all"]}}' }]],
      [400, [file, { name: 'acl', content: '{"read":{"users":"ann"}}' }]],
      [400, [file, file]],
      [400, []],
    ] as const;
    const unknown = ['a', 'b', 'c'].map((name) => ({ name, content: 'x'.repeat(900_000) }));
    expectFailure(await upload(world, token, ...unknown, file), 413);
    for (const [status, parts] of bad) expectFailure(await upload(world, token, ...parts), status);
    for (const payload of ['', 'x', multipart(file).payload.subarray(0, -20)]) {
      const bytes = { type: multipart().type, payload: Buffer.from(payload) };
      expectFailure(await world.call('POST', '/file', { token, bytes }), 400);
    }
    const noForm = { type: 'multipart/form-data', payload: Buffer.from('x') };
    expectFailure(await world.call('POST', '/file', { token, bytes: noForm }), 400);
    expectFailure(await world.call('POST', '/file', { token, body: { file: 'x' } }), 400);
    expectFailure(await world.call('POST', '/file', { token }), 400);
    expectFailure(await world.call('POST', '/file', { bytes: multipart(file) }), 401);
    expect((await world.call('GET', '/file/details?count=true', { token })).data).toEqual([{ count: 0 }]);
  });

  it('keep their declared content type unless their bytes contradict it', async () => {
    const { token } = await world.user();
    const cases = [
      [SAMPLES.png, 'image/png', 'image/png'],
      [SAMPLES.png, 'application/octet-stream', 'image/png'],
      [SAMPLES.png, 'text/html', 'image/png'],
      [SAMPLES.gif, 'image/png', 'image/gif'],
      [SAMPLES.html, 'image/png', 'application/octet-stream'],
      [SAMPLES.html, 'application/pdf', 'application/octet-stream'],
      [SAMPLES.html, 'text/html; charset=utf-8', 'text/html'],
      [SAMPLES.svg, 'image/svg+xml', 'image/svg+xml'],
      [SAMPLES.pdf, 'application/pdf', 'application/pdf'],
      ['{"a":1}', 'application/json', 'application/json'],
      ['x', 'no type', 'application/octet-stream'],
      ['x', 'text/plain\u00e9', 'application/octet-stream'],
      [SAMPLES.webm, 'audio/webm', 'audio/webm'],
      [SAMPLES.webm, 'audio/webm;codecs=opus', 'audio/webm'],
      [SAMPLES.webm, 'video/webm', 'video/webm'],
      [SAMPLES.webm, 'image/webp', 'video/webm'],
      [SAMPLES.mp4, 'audio/mp4', 'audio/mp4'],
      [SAMPLES.ogg, 'audio/ogg; codecs=opus', 'audio/ogg'],
      [SAMPLES.ogg, 'application/octet-stream', 'audio/ogg'],
      ['BMW;Zoë\n1;2\n', 'text/csv', 'text/csv'],
      [Buffer.from('BMW;Zo\xeb\n1;2\n', 'latin1'), 'text/csv', 'text/csv'],
      ['MZ %!PS', 'text/x-script', 'text/x-script'],
      [TIFF, 'image/tiff', 'image/tiff'],
      [Buffer.concat([Buffer.from('\n'), SAMPLES.pdf]), 'application/pdf', 'application/pdf'],
      [Buffer.concat([Buffer.from('\r\njunk\r\n'), SAMPLES.pdf]), 'application/pdf', 'application/pdf'],
      [Buffer.concat([Buffer.alloc(1_020, ' '), SAMPLES.pdf]), 'application/pdf', 'application/pdf'],
      [Buffer.concat([Buffer.alloc(1_030, ' '), SAMPLES.pdf]), 'application/pdf', 'application/octet-stream'],
      [SAMPLES.pdf, 'text/html', 'application/pdf'],
      [SAMPLES.html, 'video/mp4', 'application/octet-stream'],
      [SAMPLES.png, 'application/vnd.example.sticker', 'application/vnd.example.sticker'],
    ] as const;
    for (const [content, type, expected] of cases) {
      const { id, contentType } = await stored(world, token, filePart(content, { type, fileName: 'x' }));
      expect([type, contentType]).toEqual([type, expected]);
      const { headers } = await world.call('GET', `/file/${id}`, { token });
      expect(String(headers['content-type']).replace('; charset=utf-8', '')).toBe(expected);
    }
  });

  it('get a content type from their bytes or their name when the sender declares none', async () => {
    const { token } = await world.user();
    const texts = [
      ['notes.csv', 'text/csv'],
      ['notes.JSON', 'application/json'],
      ['page.svg', 'image/svg+xml'],
      ['style.css', 'text/css'],
      ['readme.md', 'text/markdown'],
      ['page.html', 'text/html'],
      ['notes.txt', 'text/plain'],
      ['code.ts', null],
      ['picture.png', null],
      ['name', null],
    ] as const;
    for (const type of ['application/octet-stream', 'binary/octet-stream', 'text/plain', undefined]) {
      for (const [fileName, expected] of texts) {
        const part = { name: 'file', content: 'BM\n', fileName, ...(type !== undefined && { type }) };
        const { contentType } = await stored(world, token, part);
        expect([fileName, type, contentType]).toEqual([fileName, type, expected ?? type ?? 'text/plain']);
      }
    }
    for (const [content, fileName, expected] of [
      [SAMPLES.png, 'notes.csv', 'image/png'],
      [SAMPLES.webm, 'voice.weba', 'audio/webm'],
      [SAMPLES.webm, 'song.mp3', 'video/webm'],
      [TIFF, 'scan.tif', 'image/tiff'],
      ['BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n', 'cal', 'text/calendar'],
      ['<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', 'page.svg', 'image/svg+xml'],
    ] as const) {
      const part = filePart(content, { fileName, type: 'application/octet-stream' });
      expect([fileName, (await stored(world, token, part)).contentType]).toEqual([fileName, expected]);
    }
  });

  it('keep the quotes and percent signs of their names, as browsers and scripts send them', async () => {
    const { token } = await world.user();
    const form = new FormData();
    form.append('file', new Blob(['x']), 'say "hi".txt');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const type = request.headers.get('content-type') ?? '';
    const bytes = { type, payload: Buffer.from(await request.arrayBuffer()) };
    const { data } = await world.call('POST', '/file', { token, bytes });
    expect(data.fileName).toBe('say "hi".txt');
    const { headers } = await world.call('GET', `/file/${data.id}?download=true`, { token });
    expect(headers['content-disposition']).toContain('filename="say \\"hi\\".txt"');
    for (const [fileName, expected] of [
      ['50%off.pdf', '50%off.pdf'],
      ['100%2541.txt', '100%2541.txt'],
      ['a%22b.txt', 'a"b.txt'],
      ['a%0D%0Ab.txt', 'ab.txt'],
      ['a%0d%3Fb.txt', 'a%0d%3Fb.txt'],
    ] as const) {
      expect((await stored(world, token, filePart('x', { fileName }))).fileName).toBe(expected);
    }
    const extended = multipart(filePart('x', { fileName: 'PLACE' })).payload.toString('latin1');
    for (const [sent, expected] of [
      [`filename*=UTF-8''na%C3%AFve%20%e2%82%ac.txt`, 'naïve €.txt'],
      [`filename=x.txt; filename*=utf-8'en'na%C3%AFve.txt`, 'naïve.txt'],
    ] as const) {
      const payload = Buffer.from(extended.replace('name="file"', 'name=file').replace('filename="PLACE"', sent));
      const answer = await world.call('POST', '/file', { token, bytes: { ...multipart(), payload } });
      expect(answer.data.fileName).toBe(expected);
    }
  });

  it('have names that file systems accept, with their extension', async () => {
    const { token } = await world.user();
    for (const [fileName, expected] of [
      [`${'漢'.repeat(120)}.pdf`, `${'漢'.repeat(83)}.pdf`],
      [`${'😀'.repeat(100)}.tar.gz`, `${'😀'.repeat(62)}.tar.gz`],
      [`${'x'.repeat(300)}`, 'x'.repeat(255)],
      [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(253)}`],
      [`${'x'.repeat(251)}.pdf`, `${'x'.repeat(251)}.pdf`],
    ] as const) {
      const { id, fileName: name } = await stored(world, token, filePart('x', { fileName }));
      expect(name).toBe(expected);
      const { headers } = await world.call('GET', `/file/${id}?download=true`, { token });
      const [, extended, plain] =
        /filename\*=UTF-8''(.+)$|filename="?([^"]+)"?$/.exec(`${headers['content-disposition']}`) ?? [];
      expect(plain ?? decodeURIComponent(extended ?? '')).toBe(expected);
    }
  });

  it('lose the dangerous characters of their names', async () => {
    const { token } = await world.user();
    const cases = [
      ['../../etc/passwd', 'passwd'],
      ['C:\\temp\\x.exe', 'x.exe'],
      ['..', 'file'],
      ['/', 'file'],
      ['a\u202egpj.exe', 'agpj.exe'],
      ['x\u0000y\u007f.txt', 'xy.txt'],
      ['a"b;c.txt', 'a"b;c.txt'],
      ['é'.repeat(300), 'é'.repeat(127)],
    ] as const;
    for (const [fileName, expected] of cases) {
      const data = await stored(world, token, filePart('x', { fileName }));
      expect([fileName, data.fileName]).toEqual([fileName, expected]);
      const { headers } = await world.call('GET', `/file/${data.id}?download=true`, { token });
      expect(headers['content-disposition']).toMatch(/^attachment; filename=[\x20-\x7e]+$/);
    }
  });

  it('are readable by their owner, by users with a grant, and by users who may read everything', async () => {
    const [owner, other] = [await world.user(), await world.user()];
    await world.call('POST', `/follow/${owner.name}`, { token: other.token });
    const { id } = await stored(world, owner.token, filePart('x'));
    const paths = [`/file/${id}`, `/file/details/${id}`, `/file/attachedData/${id}`];
    const statuses = async (token: string) =>
      Promise.all(paths.map(async (path) => (await world.call('GET', path, { token })).status));
    expect(await statuses(other.token)).toEqual([404, 404, 404]);
    expect(await statuses(owner.token)).toEqual([200, 200, 200]);
    expect(await statuses(await world.admin())).toEqual([200, 200, 200]);
    expect(await statuses((await personWithRole(world, 'backoffice')).token)).toEqual([200, 200, 200]);
    for (const path of paths) expectFailure(await world.call('GET', path), 401);

    const grant = (method: string, path: string, token = owner.token) =>
      world.call(method, `/file/${id}/${path}`, { token });
    expect((await grant('PUT', `read/user/${other.name}`)).status).toBe(200);
    expect(await statuses(other.token)).toEqual([200, 200, 200]);
    expectFailure(await world.call('DELETE', `/file/${id}`, { token: other.token }), 403);
    expectFailure(await grant('PUT', `all/user/${other.name}`, other.token), 403);
    expect((await grant('DELETE', `read/user/${other.name}`)).status).toBe(200);
    expect(await statuses(other.token)).toEqual([404, 404, 404]);
    expectFailure(await world.call('DELETE', `/file/${id}`, { token: other.token }), 404);
    expectFailure(await grant('PUT', `read/user/${other.name}`, other.token), 404);
    expect((await grant('PUT', 'delete/role/registereduser')).status).toBe(200);
    expect((await world.call('DELETE', `/file/${id}`, { token: other.token })).data).toBe('');
    expect(await statuses(owner.token)).toEqual([404, 404, 404]);
  });

  it('show their grants with withAcl to callers who may grant, as documents do', async () => {
    const [owner, reader] = [await world.user(), await world.user()];
    const { id } = await stored(world, owner.token, filePart('x'));
    const details = async (token?: string, query = '?withAcl=true') =>
      (await world.call('GET', `/file/details/${id}${query}`, { token })).data;
    for (const grant of [`read/user/${reader.name}`, 'read/role/backoffice', 'update/role/backoffice'])
      await world.call('PUT', `/file/${id}/${grant}`, { token: owner.token });
    const plain = await details(owner.token, '');
    const role = { name: 'BackOffice', isrole: true };
    const expected = {
      ...plain,
      _allowRead: [role, { name: reader.name, isrole: false }],
      _allowUpdate: [role],
      _allowDelete: [],
      _allow: [],
    };
    for (const token of [owner.token, await world.admin()]) expect(await details(token)).toEqual(expected);
    expect(await details(reader.token)).toEqual(plain);
    await world.call('PUT', `/file/${id}/all/role/anonymous`, { token: owner.token });
    expect([await details(owner.token, '?withAcl=false'), await details()]).toEqual([plain, plain]);
    await world.call('DELETE', `/file/${id}/all/role/anonymous`, { token: owner.token });
    expectFailure(await world.call('GET', `/file/details/${NOWHERE}?withAcl=true`, { token: reader.token }), 404);
  });

  it('are granted by the same rules as documents', async () => {
    const owner = await world.user();
    const { id } = await stored(world, owner.token, filePart('x'));
    const { token } = owner;
    const unknown = await world.call('PUT', `/file/${id}/fly/user/${owner.name}`, { token });
    expectFailure(unknown, 400);
    expect(unknown.body.bb_code).toBe('40003');
    for (const path of [
      `${id}/read/user/nobody-there`,
      `${id}/read/role/no-role`,
      `${NOWHERE}/read/role/anonymous`,
      'x/read/role/anonymous',
    ]) {
      expectFailure(await world.call('PUT', `/file/${path}`, { token }), 404);
      expectFailure(await world.call('DELETE', `/file/${path}`, { token }), 404);
    }
    expect((await world.call('DELETE', `/file/${id}/read/role/anonymous`, { token })).status).toBe(200);
    for (const path of [NOWHERE, 'x', 'details/x', `details/${NOWHERE}`, `attachedData/${NOWHERE}`]) {
      expectFailure(await world.call('GET', `/file/${path}`, { token }), 404);
    }
    expectFailure(await world.call('DELETE', `/file/${NOWHERE}`, { token }), 404);
  });

  it('are listed when the caller may read them', async () => {
    const [owner, reader] = [await world.user(), await world.user()];
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.push((await stored(world, owner.token, filePart(`${at}`))).id);
    for (const id of ids.slice(0, 3)) {
      await world.call('PUT', `/file/${id}/read/user/${reader.name}`, { token: owner.token });
    }
    const list = async (query: string, token = owner.token) =>
      (await world.call('GET', `/file/details${query}`, { token })).body;
    expect((await list('')).data.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect((await list('', reader.token)).data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 3));
    expect((await list('?count=true', reader.token)).data).toEqual([{ count: 3 }]);
    const first = await list('?recordsPerPage=2');
    expect([first.more, first.data.length]).toEqual([true, 2]);
    const second = await list(`?recordsPerPage=3&cursor=${first.next}`);
    expect([second.more, second.next]).toEqual([false, undefined]);
    expect([...first.data, ...second.data].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect((await list('?page=1&recordsPerPage=2')).data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(2, 4));
    expectFailure(await world.call('GET', '/file/details?page=x', { token: owner.token }), 400);
    expectFailure(await world.call('GET', '/file/details'), 401);
  });
});
