import { decode, emptyPng, fixture, formatOf, noisyPng } from '@baobab/contracts/images';
import { expect, it } from 'vitest';
import { published, publishedImage } from '../support/assets.ts';
import type { CallOptions } from '../support/backend.ts';
import { onEveryStore } from '../support/blobs.ts';
import { expectFailure } from '../support/envelope.ts';

const nobody = { appCode: null } as const;
const FORMATS = '10% 25% 50% <=48px 20-30';

onEveryStore('images among assets', (world) => {
  const get = (path: string, options: CallOptions = nobody) => world.call('GET', `/asset/${path}`, options);
  const asAdmin = async (): Promise<CallOptions> => ({ token: await world.admin() });

  async function setFormats(value: string): Promise<void> {
    const key = 'image.allowed.automatic.resize.formats';
    const { status } = await world.call('PUT', `/admin/configuration/Images/${key}`, {
      ...(await asAdmin()),
      body: { value },
    });
    if (status !== 200) throw new Error(`setting the formats failed with status ${status}`);
  }

  /** Format and dimensions of the image in an answer. */
  async function shown(path: string, options?: CallOptions): Promise<readonly unknown[]> {
    const answer = await get(path, options);
    if (answer.status !== 200) return [answer.status];
    const { width, height } = await decode(answer.bytes);
    return [answer.headers['content-type'], `image/${formatOf(answer.bytes)}`, width, height];
  }

  it('are served in the sizes of the settings, in their own formats', async () => {
    await setFormats(FORMATS);
    for (const file of ['baseline.jpg', 'opaque.png', 'opaque.gif', 'lossy.webp']) {
      const name = await publishedImage(world, file);
      const type = `image/${formatOf(fixture(file))}`;
      // The stored image is 96 × 64.
      for (const [path, width, height] of [
        ['resize/25%', 24, 16],
        ['resize/25%25', 24, 16],
        ['resize/25', 24, 16],
        ['resize/50', 48, 32],
        ['resize/20/30', 20, 13],
        ['resizeId/1', 10, 6],
        ['resizeId/4', 48, 32],
        ['resizeId/5', 20, 13],
        ['download/resize/25%', 24, 16],
        ['download/resize/20/30', 20, 13],
        ['download/resizeId/1', 10, 6],
      ] as const) {
        expect([path, ...(await shown(`${name}/${path}`))]).toEqual([path, type, type, width, height]);
      }
    }
  });

  it('whose bytes are missing in the blob store are failures of the service', async () => {
    await setFormats(FORMATS);
    const name = await publishedImage(world, 'opaque.png');
    const { id } = (await get(`${name}/data`)).data;
    await world.blobs.removeGroup(`assets/${id}`);
    for (const path of [name, `${name}/download`, `${name}/resize/50`]) {
      const { status, body } = await get(path);
      expect([path, status, body.code]).toEqual([path, 500, 'blobs.missing']);
    }
    expectFailure(await get('nowhere/resize/50'), 404);
  });

  it('are served in other sizes to administrators, whichever way they authenticate', async () => {
    await setFormats(FORMATS);
    const name = await publishedImage(world, 'opaque.png');
    const { token } = await world.user();
    for (const path of ['resize/51%', 'resize/30/20', 'resize/1/1', 'download/resize/51%']) {
      for (const options of [nobody, { token }, { ...nobody, token: 'stale' }, {}] as CallOptions[]) {
        expectFailure(await get(`${name}/${path}`, options), 403);
      }
    }
    const basic = { basic: ['admin', world.backend.adminPassword] } as const;
    for (const options of [await asAdmin(), { ...nobody, ...(await asAdmin()) }, basic, { ...nobody, ...basic }]) {
      expect((await shown(`${name}/resize/30/20`, options)).slice(2)).toEqual([30, 20]);
    }
    expect((await shown(`${name}/resize/200%`, await asAdmin())).slice(2)).toEqual([192, 128]);
    const { headers } = await get(`${name}/resize/30/20`, await asAdmin());
    expect(headers['cache-control']).toBe('private, max-age=300');
  });

  it.each(
    ['resize/0', 'resize/x', 'resize/-1', 'resize/1e1', 'resize/12.5%', 'resize/0/10', 'resize/10/0', 'resize/a/b']
      .concat(['resize/8193/10', 'resize/10/8193', 'resize/<=80px', 'resizeId/0', 'resizeId/6', 'resizeId/x'])
      .concat(['resizeId/-1', 'resizeId/1.0', 'resizeId/99999999999', 'resize/%25', 'resize/%00', 'download/resize/0']),
  )('are not served as %s: 400', async (path) => {
    await setFormats(FORMATS);
    const name = await publishedImage(world, 'opaque.png');
    for (const options of [nobody, await asAdmin()]) expectFailure(await get(`${name}/${path}`, options), 400);
  });

  it('are resized once and then served from the stored variant until the asset is removed', async () => {
    await setFormats(FORMATS);
    const name = await publishedImage(world, 'baseline.jpg');
    const all = await Promise.all(Array.from({ length: 20 }, () => get(`${name}/resize/25%`)));
    const [first] = all;
    expect(new Set(all.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1);
    expect(first?.headers).toMatchObject({
      'cache-control': 'public, max-age=300',
      'content-type': 'image/jpeg',
      'content-length': String(first?.bytes.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': expect.stringMatching(/^inline; filename="?baseline\.jpg"?$/),
    });
    const token = await world.admin();
    expect((await world.call('DELETE', `/admin/asset/${name}`, { token })).status).toBe(200);
    expect((await get(`${name}/resize/25%`)).status).toBe(404);
  });

  it('support ranges, conditional requests and HEAD in other sizes too', async () => {
    await setFormats(FORMATS);
    const name = await publishedImage(world, 'baseline.jpg');
    const path = `${name}/resize/50%`;
    const head = await world.call('HEAD', `/asset/${path}`, nobody);
    const { bytes, headers } = await get(path);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(bytes.length)]);
    const part = await get(path, { ...nobody, headers: { range: 'bytes=10-19' } });
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(10, 20)]);
    const same = await get(path, { ...nobody, headers: { 'if-none-match': String(headers.etag) } });
    expect([same.status, same.text]).toEqual([304, '']);
    const unknown = { range: 'bytes=10-19', 'if-range': '"another"' };
    const whole = await get(path, { ...nobody, headers: unknown });
    expect([whole.status, whole.bytes]).toEqual([200, bytes]);
    const other = await get(`${name}/resize/25%`);
    expect(new Set([headers.etag, other.headers.etag, (await get(name)).headers.etag]).size).toBe(3);
  });

  it('support ranges even when a variant is too large for the cache', async () => {
    await setFormats('999%');
    // A PNG of noise at 999 % exceeds the cache's limit.
    const name = await published(world, noisyPng(120, 80), { type: 'image/png' });
    const path = `${name}/resize/999%`;
    const { status, bytes, headers } = await get(path);
    expect([status, bytes.length > 262_144]).toEqual([200, true]);
    const part = await get(path, { ...nobody, headers: { range: 'bytes=100-199' } });
    expect([part.status, part.bytes]).toEqual([206, bytes.subarray(100, 200)]);
    const unknown = { range: 'bytes=100-199', 'if-range': '"another"' };
    const whole = await get(path, { ...nobody, headers: unknown });
    expect([whole.status, whole.bytes.equals(bytes)]).toEqual([200, true]);
    const head = await world.call('HEAD', `/asset/${path}`, nobody);
    expect([head.status, head.headers['content-length']]).toEqual([200, headers['content-length']]);
  });

  it('are rejected with 400 when only their declared type says that they are images', async () => {
    await setFormats(FORMATS);
    const whole = Buffer.from(fixture('baseline.jpg'));
    for (const [content, type] of [
      ['Hello', 'text/plain'],
      ['Hello', 'image/png'],
      ['<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'image/svg+xml'],
      [whole.subarray(0, 500), 'image/jpeg'],
      [emptyPng(20_000, 20_000), 'image/png'],
      [emptyPng(10, 10), 'image/png'],
      ['', 'image/gif'],
    ] as const) {
      const name = await published(world, content, { type });
      for (let again = 0; again < 2; again++) expectFailure(await get(`${name}/resize/25%`), 400);
      expect((await get(name)).status).toBe(200);
    }
  });

  it('are served only in their original size while resizing is switched off: 400', async () => {
    await setFormats(FORMATS);
    const name = await publishedImage(world, 'opaque.png');
    const key = '/admin/configuration/Images/image.allows.automatic.resize';
    await world.call('PUT', `${key}/false`, await asAdmin());
    for (const options of [nobody, await asAdmin()]) expectFailure(await get(`${name}/resize/25%`, options), 400);
    await world.call('PUT', `${key}/true`, await asAdmin());
    expect((await get(`${name}/resize/25%`)).status).toBe(200);
  });

  it('follow a change of the list in the settings immediately', async () => {
    const name = await publishedImage(world, 'opaque.png');
    await setFormats('50% 100-100');
    expect((await shown(`${name}/resizeId/2`)).slice(2)).toEqual([100, 67]);
    expect((await get(`${name}/resize/25%`)).status).toBe(403);
    await setFormats('');
    expect((await get(`${name}/resize/50%`)).status).toBe(403);
    expect((await get(`${name}/resizeId/1`)).status).toBe(400);
    await setFormats(FORMATS);
  });

  it('leave no blobs behind when they are removed during a resize', async () => {
    await setFormats(FORMATS);
    const token = await world.admin();
    for (let round = 0; round < 5; round++) {
      const name = await publishedImage(world, 'baseline.jpg');
      const asked = Promise.all(['25%', '50%', '10%'].map((percent) => get(`${name}/resize/${percent}`)));
      await new Promise((resolve) => setTimeout(resolve, round * 4));
      const removed = await world.call('DELETE', `/admin/asset/${name}`, { token });
      expect(removed.status).toBe(200);
      for (const { status } of await asked) expect([200, 404]).toContain(status);
      expect((await get(`${name}/resize/25%`)).status).toBe(404);
    }
  });
});
