import { expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf, UUID } from '../support/documents.ts';
import { expectStatus } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

/** UUIDs as a client makes them, of version 4. */
const newId = () => crypto.randomUUID();

onEveryStorage('ids that clients choose', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  async function prepare() {
    const shelf = await createShelf(world);
    const other = await world.collection();
    const as = { token: shelf.owner.token };
    const post = (id: string, body: unknown, options: CallOptions = as, collection = shelf.collection) =>
      call('POST', `/document/${collection}?id=${encodeURIComponent(id)}`, { ...options, body });
    return { ...shelf, other, as, post };
  }

  it('are the ids of new documents', async () => {
    const { collection, post, path, as } = await prepare();
    const id = newId();
    const { data } = await expectStatus(post(id.toUpperCase(), { id: 'x', title: 'Zeno' }), 200);
    expect(data).toMatchObject({ id, '@ID': id, '@rid': `#${id}`, '@version': 1, title: 'Zeno' });
    for (const url of [path(id), `/document/${id}`]) expect((await call('GET', url, as)).data).toEqual(data);
    expect((await expectStatus(call('POST', `/document/${collection}`, { ...as, body: {} }), 200)).data.id).toMatch(
      UUID,
    );
  });

  it('answer the same document again when author and content are the same', async () => {
    const { post, path, as } = await prepare();
    const id = newId();
    const first = (await expectStatus(post(id, { n: 1.0, a: 'é' }), 200)).data;
    expect((await expectStatus(post(id, { '@version': 7, n: 1, a: 'é' }), 200)).data).toEqual(first);
    expectCode(await post(id, { n: 2 }), 409, 'document.exists');
    await expectStatus(call('PUT', path(id), { ...as, body: { n: 2 } }), 200);
    expectCode(await post(id, { n: 1, a: 'é' }), 409, 'document.exists');
    expect((await expectStatus(post(id, { n: 2 }), 200)).data['@version']).toBe(2);
  });

  it('are taken in every collection, for everyone, and after a removal', async () => {
    const { post, path, as, other, create } = await prepare();
    const stranger = { token: (await world.user()).token };
    const [id, ofServer] = [newId(), (await create({ n: 1 })).id];
    await expectStatus(post(id, { n: 1 }), 200);
    for (const taken of [id, ofServer]) {
      expectCode(await post(taken, { n: 1 }, as, other), 409, 'document.exists');
      expectCode(await post(taken, { n: 1 }, stranger), 409, 'document.exists');
      await expectStatus(call('DELETE', path(taken), as), 204);
      for (const collection of [undefined, other]) {
        expectCode(await post(taken, { n: 1 }, as, collection), 409, 'document.exists');
      }
    }
  });

  it.each(['', 'x', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])(
    'that are "%s" are 400',
    async (id) => {
      const { post, ids, as } = await prepare();
      const answer = await post(id, {});
      expectCode(answer, 400, 'input.invalid');
      expect(answer.body.errors).toMatchObject([{ path: 'query.id' }]);
      expect(await ids(as)).toEqual([]);
    },
  );

  it('go to one of many parallel calls', async () => {
    const { post, other } = await prepare();
    const id = newId();
    const calls = Array.from({ length: 8 }, (_, n) => post(id, { n }, undefined, n % 2 === 0 ? undefined : other));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
  });

  it('work with idempotency keys, and in batches', async () => {
    const { collection, as, post, ids, other } = await prepare();
    const [id, first, second] = [newId(), newId(), newId()];
    const keyed = { ...as, headers: { 'idempotency-key': 'k' } };
    expect((await post(id, {}, keyed)).data.id).toBe(id);
    expect((await post(id, {}, keyed)).headers['idempotency-replayed']).toBe('true');
    const create = (one: string, to = collection) => ({
      method: 'POST',
      path: `/document/${to}?id=${one}`,
      body: { a: 1 },
    });
    const operations = [create(first), create(id, other), create('x'), create(second), create(second)];
    const { data } = await expectStatus(call('POST', '/batch', { ...as, body: { operations } }), 200);
    expect(data.map((one: { http_code: number }) => one.http_code)).toEqual([200, 409, 400, 200, 200]);
    const unique = [create(newId()), create(first, other)];
    const refused = await call('POST', '/batch', { ...as, body: { atomic: true, operations: unique } });
    expectCode(refused, 409, 'document.exists');
    expect(await ids(as)).toEqual([id, first, second].toSorted());
  });
});
