import { expect, it } from 'vitest';
import { type Answer, onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';

onEveryStorage('the stored answer to an Idempotency-Key', (world) => {
  let keys = 0;

  async function shelf() {
    const made = await createShelf(world);
    const { token } = made.owner;
    const headers = { 'idempotency-key': `bytes-${++keys}` };
    const batch = (operations: unknown[]) =>
      world.call('POST', '/batch', { token, headers, body: { atomic: false, operations } });
    const read = (id: string) => ({ method: 'GET', path: made.path(id) });
    const write = (n: number) => ({ method: 'POST', path: `/document/${made.collection}`, body: { n } });
    const count = async () => (await world.call('GET', `/document/${made.collection}/count`, { token })).data.count;
    const post = (body: unknown, key: string) =>
      world.call('POST', `/document/${made.collection}`, { token, headers: { 'idempotency-key': key }, body });
    return { ...made, token, batch, read, write, count, post };
  }

  const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';

  it('is not stored when nothing was changed: the request runs again', async () => {
    const { create, batch, read, path, token } = await shelf();
    const { id } = await create({ n: 1 });
    const operations = [read(id)];
    expect((await batch(operations)).data[0].data.n).toBe(1);
    await world.call('PUT', path(id), { token, body: { n: 2 } });
    const again = await batch(operations);
    expect([again.data[0].data.n, isReplay(again)]).toEqual([2, false]);

    const refused = [read(id), { method: 'PUT', path: path(id), body: { '@version': 99 } }];
    expect((await batch(refused)).data[1].bb_code).toBe('40001');
    await world.call('PUT', path(id), { token, body: { n: 3 } });
    const later = await batch(refused);
    expect([later.data[0].data.n, isReplay(later)]).toEqual([3, false]);
  });

  it('is limited in proportion to the request; beyond the limit the effect still happens once', async () => {
    const { create, batch, read, write, count } = await shelf();
    const { id } = await create({ text: 'x'.repeat(30_000) });
    const first = await batch([write(1), read(id)]);
    expect(first.data[1].data.text).toHaveLength(30_000);
    expect(await count()).toBe(2);
    for (const _ of [1, 2]) {
      const again = await batch([write(1), read(id)]);
      expect([again.status, isReplay(again)]).toEqual([409, true]);
      expect(again.body.message).toMatch(/took effect, but its response was too large to store/);
    }
    expect(await count()).toBe(2);
    expect((await batch([write(2), read(id)])).status).toBe(422);
  });

  it('is the whole answer to a document, however large it is', async () => {
    const { post, count } = await shelf();
    const body = { text: '木'.repeat(300_000) };
    const first = await post(body, 'large');
    const again = await post(body, 'large');
    expect([again.status, again.text === first.text, isReplay(again)]).toEqual([200, true, true]);
    expect(await count()).toBe(1);
  });

  it('has a limit for each user; beyond the limit the effect still happens once', async () => {
    const { post, count, path, token } = await shelf();
    const text = 'x'.repeat(1_000_000);
    let last: Answer;
    let sent = 0;
    // Removed immediately, so that only stored answers remain.
    do {
      last = await post({ text, sent }, `of-user-${sent}`);
      expect(last.status).toBe(200);
      await world.call('DELETE', path(last.data.id), { token });
      last = await post({ text, sent }, `of-user-${sent}`);
      sent++;
    } while (last.status === 200 && sent < 50);
    expect([last.status, isReplay(last), sent]).toEqual([409, true, 35]);
    expect(await count()).toBe(0);
    const other = await shelf();
    const first = await other.post({ text }, 'other');
    expect((await other.post({ text }, 'other')).text).toBe(first.text);
  });
});
