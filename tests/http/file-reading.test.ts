import { expect, it } from 'vitest';
import type { World } from '../support/backend.ts';
import { collect, noise, onEveryStore } from '../support/blobs.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, stored } from '../support/files.ts';

const SIZE = 1_000_003;

async function shelf(world: World) {
  const { token } = await world.user();
  const whole = await collect(noise(SIZE));
  const { id } = await stored(world, token, filePart(whole, { type: 'application/x-own' }));
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    world.call(method, `/file/${id}`, { token, headers });
  return { token, whole, id, get };
}

onEveryStore('the bytes of a file', (world) => {
  it('can be read in ranges', async () => {
    const { get, whole } = await shelf(world);
    const parts: Array<[string, number, number]> = [
      ['bytes=0-0', 0, 1],
      ['bytes=0-99', 0, 100],
      ['bytes=500000-', 500_000, SIZE - 500_000],
      ['bytes=-100', SIZE - 100, 100],
      [`bytes=-${SIZE + 1}`, 0, SIZE],
      [`bytes=1000000-${SIZE + 500}`, 1_000_000, 3],
      [' Bytes = 5 - 9 ', 5, 5],
    ];
    for (const [range, offset, length] of parts) {
      const { status, headers, bytes } = await get({ range });
      expect([range, status]).toEqual([range, 206]);
      expect(headers['content-range']).toBe(`bytes ${offset}-${offset + length - 1}/${SIZE}`);
      expect(headers['content-length']).toBe(String(length));
      expect(whole.subarray(offset, offset + length).equals(bytes)).toBe(true);
    }
  });

  it('are served whole when the request does not ask for a single range', async () => {
    const { get, whole } = await shelf(world);
    for (const range of ['bytes=0-1,5-6', 'bytes=9-5', 'lines=0-1', 'bytes=', 'bytes=a-b', 'bytes=-', 'x']) {
      const { status, headers, bytes } = await get({ range });
      expect([range, status, headers['content-range']]).toEqual([range, 200, undefined]);
      expect(bytes.equals(whole)).toBe(true);
    }
  });

  it('are 416 beyond the end', async () => {
    const { get } = await shelf(world);
    for (const range of [`bytes=${SIZE}-`, `bytes=${SIZE}-${SIZE + 5}`, 'bytes=-0', 'bytes=999999999999999-']) {
      const answer = await get({ range });
      expectFailure(answer, 416);
      expect(JSON.parse(answer.text).message).toBe(`Range not satisfiable: the file has ${SIZE} bytes`);
      expect(answer.headers['content-range']).toBe(`bytes */${SIZE}`);
      expect(answer.headers.etag).toBeUndefined();
    }
  });

  it('are described by HEAD without their bytes', async () => {
    const { get } = await shelf(world);
    const whole = await get();
    for (const headers of [{}, { range: 'bytes=0-9' }]) {
      const head = await get(headers, 'HEAD');
      expect([head.status, head.text, head.headers['content-range']]).toEqual([200, '', undefined]);
      for (const name of [
        'content-length',
        'content-type',
        'etag',
        'last-modified',
        'content-disposition',
        'content-security-policy',
      ]) {
        expect([name, head.headers[name]]).toEqual([name, whole.headers[name]]);
      }
    }
  });

  it('are not sent again to clients that already have them', async () => {
    const { get } = await shelf(world);
    const { headers } = await get();
    const [etag, date] = [String(headers.etag), String(headers['last-modified'])];
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const later = new Date(Date.parse(date) + 5000).toUTCString();
    const earlier = new Date(Date.parse(date) - 5000).toUTCString();
    const unchanged = [
      { 'if-none-match': etag },
      { 'if-none-match': `"x", W/${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': date },
      { 'if-modified-since': later },
      { 'if-none-match': etag, 'if-modified-since': earlier, range: 'bytes=0-1' },
    ];
    for (const conditions of unchanged) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(conditions, method);
        expect([conditions, answer.status, answer.text]).toEqual([conditions, 304, '']);
        expect(answer.headers.etag).toBe(etag);
        expect(answer.headers['content-length']).toBeUndefined();
      }
    }
    const changed = [
      { 'if-none-match': '"x"' },
      { 'if-none-match': '"x"', 'if-modified-since': later },
      { 'if-modified-since': earlier },
      { 'if-modified-since': 'no date' },
      { 'if-match': `"x", ${etag}` },
      { 'if-unmodified-since': date },
    ];
    for (const conditions of changed) expect([conditions, (await get(conditions)).status]).toEqual([conditions, 200]);
    for (const conditions of [{ 'if-match': '"x"' }, { 'if-match': `W/${etag}` }, { 'if-unmodified-since': earlier }]) {
      expectFailure(await get(conditions), 412);
    }
  });

  it("are served in ranges only while the client's validator matches", async () => {
    const { get } = await shelf(world);
    const { headers } = await get();
    const [etag, date] = [String(headers.etag), String(headers['last-modified'])];
    const range = 'bytes=1-2';
    for (const known of [etag, date]) expect((await get({ range, 'if-range': known })).status).toBe(206);
    const other = new Date(Date.parse(date) + 5000).toUTCString();
    for (const known of ['"x"', `W/${etag}`, other, 'no date']) {
      const { status, bytes } = await get({ range, 'if-range': known });
      expect([known, status, bytes.length]).toEqual([known, 200, SIZE]);
    }
  });

  it('are readable with the session in the query, as in a link', async () => {
    const { id, token, whole } = await shelf(world);
    const path = `/file/${id}?X-BB-SESSION=${token}&download=true`;
    const { status, headers, bytes } = await world.call('GET', path, { appCode: null });
    expect([status, headers['content-disposition']]).toEqual([200, 'attachment; filename=notes.txt']);
    expect(bytes.equals(whole)).toBe(true);
  });
});
