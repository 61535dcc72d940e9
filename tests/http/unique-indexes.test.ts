import { expect, it } from 'vitest';
import { type Answer, type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';
import { adminOf, expectStatus } from '../support/people.ts';
import { expectCode } from '../support/second-factor.ts';

const expectDuplicate = ({ status, body }: Answer) => expect([status, body.code]).toEqual([409, 'document.duplicate']);

onEveryStorage('unique indexes', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);
  const asAdmin = () => ({ basic: adminOf(world) });

  async function prepare(...fields: readonly string[]) {
    const shelf = await createShelf(world);
    const as = { token: shelf.owner.token };
    const declare = (path: string, body?: unknown) =>
      call('PUT', `/admin/collection/${shelf.collection}/index/${encodeURIComponent(path)}`, { ...asAdmin(), body });
    for (const field of fields) await expectStatus(declare(field, { unique: true }), 201);
    const post = (body: unknown, options: CallOptions = as) =>
      call('POST', `/document/${shelf.collection}`, { ...options, body });
    const count = async () =>
      (await call('GET', `/document/${shelf.collection}/count`, asAdmin())).data.count as number;
    return { ...shelf, as, declare, post, count };
  }

  it('are declared, shown, changed and removed like others', async () => {
    const { collection, declare, create, post } = await prepare();
    const shown = async () => (await call('GET', `/admin/collection/${collection}/index`, asAdmin())).data;
    expect((await expectStatus(declare('isbn', { unique: true }), 201)).data).toEqual({
      path: 'isbn',
      state: 'ready',
      unique: true,
    });
    await create({ isbn: 1 });
    expect((await expectStatus(declare('isbn'), 200)).data.unique).toBe(true);
    expectDuplicate(await post({ isbn: 1 }));
    expect((await expectStatus(declare('isbn', { unique: false }), 200)).data.unique).toBe(false);
    await create({ isbn: 1 });
    expect(await shown()).toEqual([{ path: 'isbn', state: 'ready', unique: false }]);
    expect((await expectStatus(declare('title'), 201)).data.unique).toBe(false);
  });

  it('refuse every write of a value that another document has', async () => {
    const { create, path, post, as, collection, count } = await prepare('isbn', '["by.team","n"]');
    const [one, two] = [
      await create({ isbn: 'a', by: { team: 1 }, n: 1 }),
      await create({ isbn: 'b', by: { team: 1 }, n: 2 }),
    ];
    const refused = async (method: string, url: string, body: unknown, places: readonly string[] = ['/isbn']) => {
      const answer = await call(method, url, { ...as, body });
      expectDuplicate(answer);
      expect(answer.body.errors.map((problem: { path: string }) => problem.path)).toEqual(places);
      expect(answer.body.id).toBe(one.id);
    };
    const url = path(two.id);
    await refused('POST', `/document/${collection}`, { isbn: 'a' });
    await refused('PUT', url, { isbn: 'a' });
    await refused('PUT', `${url}/.isbn`, { data: 'a' });
    await refused('PATCH', url, { set: { isbn: 'a' } });
    await refused('PATCH', url, { increment: { n: -1 } }, ['/by/team', '/n']);
    expect((await call('GET', url, as)).data).toEqual(two);
    await expectStatus(call('PUT', path(one.id), { ...as, body: { isbn: 'a' } }), 200);
    await expectStatus(call('PATCH', url, { ...as, body: { increment: { n: -1 } } }), 200);
    await expectStatus(post({ isbn: null, by: { team: 1 } }), 200);
    await expectStatus(call('DELETE', path(one.id), as), 204);
    await expectStatus(post({ isbn: 'a' }), 200);
    expect(await count()).toBe(3);
    const repeated = `/document/${collection}?id=${crypto.randomUUID()}`;
    for (let i = 0; i < 2; i++) await expectStatus(call('POST', repeated, { ...as, body: { isbn: 'own' } }), 200);
  });

  it('name the other document only to those who may read it', async () => {
    const { create, post, share, path } = await prepare('isbn');
    const stranger = { token: (await world.user()).token };
    const one = await create({ isbn: 'a' });
    const hidden = await post({ isbn: 'a' }, stranger);
    expectDuplicate(hidden);
    expect([hidden.body.id, hidden.text.includes(one.id)]).toEqual([undefined, false]);
    await share(one.id, 'read/role/anonymous');
    expect((await post({ isbn: 'a' }, stranger)).body.id).toBe(one.id);
    const mine = (await post({ isbn: 'b' }, stranger)).data;
    // Users without permission to update a document learn nothing about others.
    await share(one.id, 'read/role/anonymous', 'DELETE');
    expect((await call('PUT', path(one.id), { ...stranger, body: { isbn: 'b' } })).status).toBe(403);
    expect(
      (await call('PATCH', path(mine.id), { ...stranger, body: { set: { isbn: 'a' }, '@version': 9 } })).body.code,
    ).toBe('document.stale');
  });

  it('say nothing about values to those whom a rule refuses', async () => {
    const { create, post, path, collection } = await prepare('isbn');
    const parents = await world.collection();
    const stranger = { token: (await world.user()).token };
    await create({ isbn: 'a' });
    const open = { read: [], create: ['registereduser'], update: ['registereduser'], parent: null, check: {} };
    const setRules = (rules: object) => {
      const body = { ...open, ...rules };
      return expectStatus(call('PUT', `/admin/collection/${collection}/rules`, { ...asAdmin(), body }), 200);
    };
    await setRules({});
    const mine = (await expectStatus(post({ isbn: 'b' }, stranger), 200)).data;
    const never = "caller.name = 'nobody'";
    const parent = { field: 'up', collection: parents, create: 'update', update: 'update', read: 'read' };
    const up = (await expectStatus(call('POST', `/document/${parents}`, { ...asAdmin(), body: {} }), 200)).data.id;
    const refusedBy = async (attempts: readonly (readonly [string, string, object])[], code: string) => {
      for (const [method, url, body] of attempts)
        expect((await call(method, url, { ...stranger, body })).body.code).toBe(code);
      const operations = attempts.map(([method, url, body]) => ({ method, path: url, body }));
      const batch = await expectStatus(call('POST', '/batch', { ...stranger, body: { operations } }), 200);
      expect(batch.data.map((one: { code: string }) => one.code)).toEqual(attempts.map(() => code));
    };
    for (const isbn of ['a', 'c']) {
      const creation = [['POST', `/document/${collection}`, { isbn, up }]] as const;
      await setRules({ create: [{ role: 'registereduser', if: never }] });
      await refusedBy(creation, 'access.denied');
      await setRules({ parent });
      await refusedBy(creation, 'document.parent_invalid');
      const move = { isbn, up };
      await refusedBy(
        [
          ['PUT', path(mine.id), move],
          ['PATCH', path(mine.id), { set: move }],
        ],
        'document.parent_invalid',
      );
      await setRules({ check: { create: never, update: never } });
      await refusedBy(creation, 'rule.refused');
      await refusedBy(
        [
          ['PUT', path(mine.id), { isbn }],
          ['PUT', `${path(mine.id)}/.isbn`, { data: isbn }],
          ['PATCH', path(mine.id), { set: { isbn } }],
        ],
        'rule.refused',
      );
    }
    await setRules({ check: { create: 'new.n = 1', update: 'new.n = 1' } });
    for (const answer of [
      await post({ isbn: 'a', n: 1 }, stranger),
      await call('PUT', path(mine.id), { ...stranger, body: { isbn: 'a', n: 1 } }),
      await call('PATCH', path(mine.id), { ...stranger, body: { set: { isbn: 'a', n: 1 } } }),
    ]) {
      expectDuplicate(answer);
      expect(answer.body.errors).toMatchObject([{ path: '/isbn' }]);
    }
  });

  it('hold in batches, with idempotency keys and under parallel requests', async () => {
    const { collection, as, post, count, create, path } = await prepare('isbn');
    const { id } = await create({ isbn: 'z' });
    const make = (isbn: string) => ({ method: 'POST', path: `/document/${collection}`, body: { isbn } });
    const operations = [make('a'), make('a'), { method: 'PUT', path: path(id), body: { isbn: 'a' } }, make('b')];
    const batch = await expectStatus(call('POST', '/batch', { ...as, body: { operations } }), 200);
    expect(batch.data.map((one: { http_code: number }) => one.http_code)).toEqual([200, 409, 409, 200]);
    const atomic = await call('POST', '/batch', { ...as, body: { atomic: true, operations: [make('c'), make('b')] } });
    expectDuplicate(atomic);
    expectDuplicate(await post({ isbn: 'a' }, { ...as, headers: { 'idempotency-key': 'k' } }));
    const parallel = await Promise.all([
      ...Array.from({ length: 4 }, () => post({ isbn: 'p' })),
      ...Array.from({ length: 4 }, (_, i) => post({ isbn: 'p' }, { ...as, headers: { 'idempotency-key': `p${i}` } })),
      ...Array.from({ length: 4 }, () =>
        call('POST', '/batch', { ...as, body: { atomic: true, operations: [make('p')] } }),
      ),
    ]);
    expect(parallel.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 11 }, () => 409)]);
    expect(await count()).toBe(4);
  });

  it('are refused while documents have the same values', async () => {
    const { create, declare } = await prepare();
    const [one, two] = [await create({ isbn: 'a', n: 1 }), await create({ isbn: 'a', n: 2 })];
    await create({ n: 2 });
    const answer = await declare('isbn', { unique: true });
    expectDuplicate(answer);
    expect(answer.body).toMatchObject({ id: one.id, errors: [{ path: '/isbn' }] });
    expect(answer.body.errors[0].message).toBe(`the same in ${one.id}, ${two.id}`);
    await expectStatus(declare('["isbn","n"]', { unique: true }), 201);
    expectDuplicate(await declare('n', { unique: true }));
  });

  it.each([
    ['n', { uniqueness: true }, 'input.invalid'],
    ['n', { unique: 1 }, 'input.invalid'],
    ['n', [true], 'input.invalid'],
    ['["n","_creation_date"]', { unique: true }, 'index.unique_unsupported'],
  ])('on %s with %j are 400', async (path, body, code) => {
    const { declare } = await prepare();
    expectCode(await declare(path, body), 400, code);
  });

  it('are for documents only', async () => {
    const answer = await call('PUT', '/admin/index/files/fileName', { ...asAdmin(), body: { unique: true } });
    expectCode(answer, 400, 'index.unique_unsupported');
  });
});
