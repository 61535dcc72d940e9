import { decode } from '@baobab/contracts/images';
import { expect, it } from 'vitest';
import { imagePart } from '../support/assets.ts';
import type { CallOptions } from '../support/backend.ts';
import { onEveryStore } from '../support/blobs.ts';
import { expectFailure } from '../support/envelope.ts';
import { filePart, stored } from '../support/files.ts';

onEveryStore('images among files', (world) => {
  async function image(): Promise<{ id: string; token: string }> {
    const { token } = await world.user();
    return { id: (await stored(world, token, imagePart('baseline.jpg'))).id, token };
  }
  const get = (id: string, query: string, options: CallOptions) => world.call('GET', `/file/${id}${query}`, options);

  it('are served in the sizes of the settings, by name and by index from 0', async () => {
    const { id, token } = await image();
    for (const [query, width, height] of [
      ['?resize=25%25', 24, 16],
      ['?resize=25%', 24, 16],
      ['?resize=<=80px', 80, 53],
      ['?resize=%3C%3D80px', 80, 53],
      ['?sizeId=0', 24, 16],
      ['?sizeId=1', 48, 32],
      ['?sizeId=3', 80, 53],
    ] as const) {
      const { status, bytes, headers } = await get(id, query, { token });
      expect([query, status, headers['content-type']]).toEqual([query, 200, 'image/jpeg']);
      const { width: seen, height: high } = await decode(bytes);
      expect([query, seen, high]).toEqual([query, width, height]);
      expect(headers['cache-control']).toBe('private, no-cache');
    }
    const saved = await get(id, '?resize=25%&download=true', { token });
    expect(saved.headers['content-disposition']).toMatch(/^attachment; /);
    const headers = { 'if-none-match': String(saved.headers.etag) };
    expect((await get(id, '?resize=25%', { token, headers })).status).toBe(304);
    expect((await get(id, '?resize=50%', { token, headers })).status).toBe(200);
  });

  it('are not served in other sizes except to administrators: 400', async () => {
    const { id, token } = await image();
    for (const query of ['?resize=26%', '?resize=30-20']) {
      expectFailure(await get(id, query, { token }), 400);
      expect((await get(id, query, { token: await world.admin() })).status).toBe(200);
    }
    for (const query of ['?resize=', '?resize=x', '?resize=0%', '?sizeId=4', '?sizeId=-1', '?sizeId=x', '?sizeId=']) {
      expectFailure(await get(id, query, { token }), 400);
      expectFailure(await get(id, query, { token: await world.admin() }), 400);
    }
  });

  it('are available to users who may read the original, and to nobody else', async () => {
    const [{ id, token }, reader, other] = [await image(), await world.user(), await world.user()];
    await world.call('PUT', `/file/${id}/read/user/${reader.name}`, { token });
    expect((await get(id, '?resize=25%', { token })).status).toBe(200);
    expect((await get(id, '?resize=25%', { token: reader.token })).status).toBe(200);
    expectFailure(await get(id, '?resize=25%', { token: other.token }), 404);
    expectFailure(await get(id, '?resize=25%', {}), 401);
    await world.call('DELETE', `/file/${id}/read/user/${reader.name}`, { token });
    expectFailure(await get(id, '?resize=25%', { token: reader.token }), 404);
  });

  it('are rejected when only their declared type says that they are images, and are removed with the original', async () => {
    const { id, token } = await image();
    const text = await stored(world, token, filePart('Hello', { type: 'text/plain' }));
    expectFailure(await get(text.id, '?resize=25%', { token }), 400);
    expect((await get(id, '?resize=25%', { token })).status).toBe(200);
    expect((await world.call('DELETE', `/file/${id}`, { token })).status).toBe(200);
    expectFailure(await get(id, '?resize=25%', { token }), 404);
  });
});
