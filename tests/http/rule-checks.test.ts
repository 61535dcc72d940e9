import { describe, expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { until } from '../support/patience.ts';
import { adminOf, expectStatus, type Person, personWithRole } from '../support/people.ts';

/** Checks: expressions that every write must satisfy, the author's too. */
onEveryStorage('checks of a collection', (world) => {
  const call = (person: Person | { token: string }, method: string, url: string, body?: unknown) =>
    world.call(method, url, { token: person.token, ...(body === undefined ? {} : { body }) });
  const setRules = (name: string, body: unknown) =>
    expectStatus(world.call('PUT', `/admin/collection/${name}/rules`, { basic: adminOf(world), body }), 200);

  async function scene(rules: object) {
    const [collection, author, other] = [await world.collection(), await world.user(), await world.user()];
    await setRules(collection, rules);
    const create = (body: unknown, person: Person | { token: string } = author) =>
      call(person, 'POST', `/document/${collection}`, body);
    const add = async (body: unknown): Promise<string> => (await expectStatus(create(body), 200)).data.id;
    const at = (id: string, more = '') => `/document/${collection}/${id}${more}`;
    return { collection, author, other, create, add, at };
  }

  const refused = { status: 403, body: { code: 'rule.refused' } };

  describe('of updates', () => {
    it('compare old and new in every way to change a document, and leave it unchanged when they refuse', async () => {
      const message = 'Orders only move forward';
      const { collection, author, add, at } = await scene({
        check: { update: "old.state = new.state or (old.state = 'open' and new.state in ['paid', 'cancelled'])" },
        messages: { update: message },
      });
      const id = await add({ state: 'open', log: [] });
      const attempts = (state: string) =>
        [
          ['PUT', at(id), { state, log: [] }],
          ['PUT', at(id, '/.state'), { data: state }],
          ['PATCH', at(id), { set: { state } }],
        ] as const;
      const all = async (state: string, expected: object) => {
        for (const [method, url, body] of attempts(state)) {
          expect(await call(author, method, url, body)).toMatchObject(expected);
        }
        const operations = attempts(state).map(([method, path, body]) => ({ method, path, body }));
        const batch = (await call(author, 'POST', '/batch', { operations })).data;
        for (const one of batch) expect({ status: one.http_code, body: one }).toMatchObject(expected);
      };
      await all('shipped', { status: 403, body: { code: 'rule.refused', message, rule: 'update' } });
      expect((await call(author, 'GET', at(id))).data).toMatchObject({ state: 'open', '@version': 1 });
      expect((await call(author, 'PUT', at(id, '/.log[]'), { data: 'seen' })).status).toBe(200);
      expect((await call(author, 'PUT', at(id, '/.state'), { data: 'paid' })).status).toBe(200);
      expect(await call(author, 'DELETE', at(id, '/.state'))).toMatchObject(refused);
      await all('open', refused);
      await all('paid', { status: 200 });
      expect((await call(author, 'GET', `/document/${collection}`)).data).toHaveLength(1);
    });

    it('see the version, the date and the writer that will be stored', async () => {
      const { collection, other, add, at } = await scene({
        update: ['registereduser'],
        check: {
          update:
            'new.`@version` = 2 and old.`@version` = 1 and new._update_date > old._update_date and new._updated_by = caller.name ' +
            'and new._creation_date = old._creation_date and new._author = old._author',
        },
      });
      const id = await add({ n: 1 });
      const key = (
        await expectStatus(
          world.call('POST', '/admin/key', {
            token: await world.admin(),
            body: { name: world.unique('key'), role: 'registereduser' },
          }),
          201,
        )
      ).data.key;
      const withKey = (method: string, url: string, body: unknown) =>
        world.call(method, url, { appCode: null, headers: { authorization: `Bearer ${key}` }, body });
      // Refused within the millisecond of the creation.
      await until(async () => (await call(other, 'PUT', at(id, '/.n'), { data: 2 })).status === 200);
      expect(await call(other, 'PUT', at(id, '/.n'), { data: 3 })).toMatchObject(refused);
      const [admin] = adminOf(world);
      await setRules(collection, {
        check: { create: `new._author = '${admin}'`, update: `new._updated_by = '${admin}'` },
      });
      const { data } = await expectStatus(withKey('POST', `/document/${collection}`, {}), 200);
      expect(data._author).toBe(admin);
      await expectStatus(withKey('PUT', at(data.id), { n: 1 }), 200);
    });

    it('name the caller, the author, the time and what changed', async () => {
      const { other, author, add, at, collection } = await scene({
        update: ['registereduser'],
        check: {
          update:
            'not changed(price.amount) and (caller.name = old._author or not changed(title)) and ' +
            '(new.until is null or new.until > now)',
        },
      });
      const id = await add({ title: 'Boots', price: { amount: 5 }, until: '2000-01-01T00:00:00.000+0000' });
      const set = async (person: Person, field: string, data: unknown) =>
        (await call(person, 'PUT', at(id, `/.${field}`), { data })).status;
      expect(await set(author, 'note', 'in the past')).toBe(403);
      expect(await set(author, 'until', '2999-01-01T00:00:00.000+0000')).toBe(200);
      expect(await set(author, 'price/.amount', 6)).toBe(403);
      expect(await set(author, 'price', { amount: 5, currency: 'EUR' })).toBe(200);
      expect(await set(other, 'title', 'Shoes')).toBe(403);
      expect(await set(author, 'title', 'Shoes')).toBe(200);
      expect(await set(other, 'note', 'sold')).toBe(200);
      await setRules(collection, { check: { update: 'caller.id = new.seller' } });
      expect(await set(other, 'seller', other.id)).toBe(200);
      expect(await set(author, 'note', 'x')).toBe(403);
    });

    it('apply in atomic batches, which then change nothing', async () => {
      const { author, add, at } = await scene({ check: { update: 'new.n > old.n' } });
      const [a, b] = [await add({ n: 1 }), await add({ n: 1 })];
      const set = (id: string, data: number) => ({ method: 'PUT', path: at(id, '/.n'), body: { data } });
      const batch = (...operations: object[]) => call(author, 'POST', '/batch', { atomic: true, operations });
      const answer = await batch(set(a, 2), set(b, 0));
      expect(answer).toMatchObject({ ...refused, body: { code: 'rule.refused', rule: 'update', operation: 1 } });
      expect((await call(author, 'GET', at(a))).data.n).toBe(1);
      expect(await batch(set(a, 2), set(a, 3))).toMatchObject({ status: 200 });
      expect(await batch(set(a, 5), set(a, 4))).toMatchObject(refused);
      expect((await call(author, 'GET', at(a))).data.n).toBe(3);
    });

    it('come after permissions and versions', async () => {
      const { author, other, add, at } = await scene({ check: { update: 'new.n = 1' } });
      const id = await add({});
      expect((await call(other, 'PUT', at(id), { n: 2 })).body.code).toBe('access.denied');
      expect((await call(author, 'PUT', at(id), { n: 2, '@version': 7 })).body.code).toBe('document.stale');
    });

    it('of concurrent changes see the result of the one before', async () => {
      const { author, add, at } = await scene({ check: { update: 'old.taken is null' } });
      const id = await add({});
      const answers = await Promise.all([1, 2, 3, 4].map((n) => call(author, 'PUT', at(id, '/.taken'), { data: n })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403]);
    });
  });

  it('of creating see the new document and nothing old', async () => {
    const { create, other, collection, author } = await scene({
      check: { create: "new.state = 'open' and new._author = caller.name and old is null and not changed(never)" },
    });
    expect((await create({ state: 'open' })).status).toBe(200);
    const answer = await create({ state: 'paid' });
    expectFailure({ ...answer, text: answer.text.replace('"rule":"create",', '') }, 403);
    expect(answer).toMatchObject({ ...refused, body: { rule: 'create', message: expect.stringContaining('rule') } });
    expect((await create({ state: 'open' }, other)).status).toBe(200);
    expect((await call(author, 'GET', `/document/${collection}`)).data).toHaveLength(1);
  });

  it('of deleting see the old document', async () => {
    const { author, add, at } = await scene({
      check: { delete: 'old.locked is null' },
      messages: { delete: 'Unlock it first' },
    });
    const id = await add({ locked: true });
    expect(await call(author, 'DELETE', at(id))).toMatchObject({
      status: 403,
      body: { code: 'rule.refused', rule: 'delete', message: 'Unlock it first' },
    });
    const operations = [{ method: 'DELETE', path: at(id) }];
    expect((await call(author, 'POST', '/batch', { operations })).data[0].http_code).toBe(403);
    expect((await call(author, 'DELETE', at(id, '/.locked'))).status).toBe(200);
    expect((await call(author, 'DELETE', at(id))).status).toBe(204);
  });

  it('see the parent: also of a moved document, and absent for others', async () => {
    const [boards, owner] = [await world.collection(), await world.user()];
    const { author, collection, create, at } = await scene({
      parent: { field: 'board', collection: boards, read: 'read' },
      check: { create: 'parent.closed = false', update: 'parent.closed = false and parent._author = caller.name' },
    });
    const newBoard = async (person: Person, content: object) =>
      (await expectStatus(call(person, 'POST', `/document/${boards}`, content), 200)).data.id;
    const open = await newBoard(author, { closed: false });
    const closed = await newBoard(author, { closed: true });
    const theirs = await newBoard(owner, { closed: false });
    const { id } = (await expectStatus(create({ board: open }), 200)).data;
    for (const board of [closed, 'x', undefined]) expect(await create({ board })).toMatchObject(refused);
    const move = (board: string) => call(author, 'PUT', at(id, '/.board'), { data: board });
    expect(await move(closed)).toMatchObject(refused);
    expect(await move(theirs)).toMatchObject(refused);
    expect((await move(open)).status).toBe(200);
    await setRules(collection, { parent: null });
    expect(await move(open)).toMatchObject(refused);
  });

  it('do not apply to administrators and BackOffice users', async () => {
    const { add, create, at } = await scene({
      check: { create: 'new.n = 1', update: 'new.n = 1', delete: 'old.n = 2' },
    });
    for (const person of [await personWithRole(world, 'BackOffice'), { token: await world.admin() }]) {
      const id = await add({ n: 1 });
      expect((await create({ n: 2 }, person)).status).toBe(200);
      expect((await call(person, 'PUT', at(id), { n: 3 })).status).toBe(200);
      expect((await call(person, 'DELETE', at(id))).status).toBe(204);
    }
  });

  it('reveal nothing of documents that the caller may not read', async () => {
    const { author, other, add, at } = await scene({ check: { update: 'new.n = 1' } });
    const id = await add({ n: 1 });
    await expectStatus(call(author, 'PUT', at(id, `/update/user/${other.name}`)), 200);
    expect(await call(other, 'PUT', at(id), { n: 2 })).toMatchObject(refused);
    const answer = await expectStatus(call(other, 'PUT', at(id), { n: 1, more: true }), 200);
    expect(answer.data).not.toHaveProperty('more');
  });
});
