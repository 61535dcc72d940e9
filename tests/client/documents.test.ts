import { isBaobabError } from '@baobab/client';
import { expect, it } from 'vitest';
import { type ClientService, nameOf, onEveryService } from '../support/client-service.ts';

interface Note {
  title: string;
  litres?: number;
  done?: boolean;
  tags?: string[];
  by?: { name: string };
  list?: string;
}
interface Shop {
  collections: { notes: Note };
}

/** A new collection, as an app knows it under a fixed name. */
async function openNotes(service: ClientService) {
  const client = await service.user<Shop>();
  const name = (await service.collection()) as 'notes';
  return { client, name, notes: client.collection(name), of: (other: typeof client) => other.collection(name) };
}

const failureOf = async (call: Promise<unknown>) => {
  try {
    await call;
  } catch (error) {
    if (isBaobabError(error)) return error;
    throw error;
  }
  throw new Error('the call succeeded');
};

onEveryService('documents through the client', (service) => {
  it('have ids that the client chose, once', async () => {
    const { client, notes } = await openNotes(service);
    const [id, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const milk = await notes.create({ title: 'Milk' }, { id });
    expect(milk.id).toBe(id);
    expect(await notes.create({ title: 'Milk' }, { id })).toEqual(milk);
    expect((await failureOf(notes.create({ title: 'Bread' }, { id }))).code).toBe('document.exists');
    const [made] = await client.batch([notes.operations.create({ title: 'Bread' }, { id: other })]);
    expect(made.id).toBe(other);
  });

  it('are created, read, changed and removed', async () => {
    const { client, notes } = await openNotes(service);
    const milk = await notes.create({ title: 'Milk', litres: 1 });
    expect([milk.title, milk['@version'], milk._author]).toEqual(['Milk', 1, nameOf(client)]);
    expect(await notes.get(milk.id)).toEqual(milk);
    const more = await notes.update(milk.id, { litres: 2, done: true });
    expect(more).toMatchObject({ title: 'Milk', litres: 2, done: true });
    const other = await notes.replace(milk.id, { title: 'Oat milk' });
    expect([other.title, 'litres' in other]).toEqual(['Oat milk', false]);
    await notes.remove(milk.id);
    expect(await notes.find(milk.id)).toBeNull();
    expect(await failureOf(notes.get(milk.id))).toMatchObject({ code: 'document.not_found', status: 404 });
  });

  it('are found by a thousand ids, which fit into no URL', async () => {
    const { client, notes } = await openNotes(service);
    const { id } = await notes.create({ title: 'Milk' });
    await notes.create({ title: 'Bread' });
    const query = notes.query().whereField('id', 'in', [id, ...Array.from({ length: 999 }, () => crypto.randomUUID())]);
    expect((await query.list()).map(({ title }) => title)).toEqual(['Milk']);
    expect(await query.count()).toBe(1);
    expect(await query.pageWithTotal()).toMatchObject({ total: 1, next: null });
    const names = [nameOf(client), ...Array.from({ length: 999 }, (_, at) => `nobody-${at}`)];
    const people = await client.users.query().whereField('user.name', 'in', names).list();
    expect(people.map(({ user }) => user.name)).toEqual([nameOf(client)]);
  });

  it('are not overwritten when their version is given', async () => {
    const { notes } = await openNotes(service);
    const { id } = await notes.create({ title: 'Milk' });
    await notes.update(id, { litres: 2 }, { version: 1 });
    const failures = await Promise.all(
      [
        notes.update(id, { litres: 3 }, { version: 1 }),
        notes.update(id, { litres: 3, done: true }, { version: 1 }),
        notes.replace(id, { title: 'Bread' }, { version: 1 }),
        notes.setField(id, 'litres', 3, { version: 1 }),
        notes.removeField(id, 'litres', { version: 1 }),
      ].map(failureOf),
    );
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['document.stale']));
    // A change of several members is one call for the app.
    expect(failures.map(({ message, operation }) => [/operations/.test(message), operation])).toEqual(
      failures.map(() => [false, null]),
    );
    const read = await notes.get(id);
    // A document that was read can be changed and sent back: only the option requests a check.
    expect((await notes.replace(id, { ...read, title: 'Bread' })).title).toBe('Bread');
    expect(await notes.update(id, {})).toMatchObject({ litres: 2, '@version': 3 });
  });

  it('have fields that are read, set, appended to and removed, whatever their names are', async () => {
    const { notes } = await openNotes(service);
    const { id } = await notes.create({ title: 'Milk', tags: ['a'], by: { name: 'ann' } });
    expect([await notes.field(id, 'by.name'), await notes.field(id, 'tags[0]')]).toEqual(['ann', 'a']);
    await Promise.all(['b', 'c', 'd'].map((tag) => notes.append(id, 'tags', tag)));
    const { tags = [] } = await notes.setField(id, 'tags[0]', 'first');
    expect([tags[0], tags.toSorted()]).toEqual(['first', ['b', 'c', 'd', 'first']]);
    expect((await notes.removeField(id, 'tags[0]')).tags).toHaveLength(3);
    const odd = { 'a.b': 1, 'a[0]': 2, '': 3, '`': 4, '..': 5, 'a b?#%': 6, é: 7, and: 8 };
    expect(await notes.update(id, odd as Partial<Note>)).toMatchObject({ ...odd, title: 'Milk' });
  });

  it('are shared by grants', async () => {
    const { client, notes, of } = await openNotes(service);
    const friend = await service.user<Shop>();
    const group = await client.groups.create('friends');
    const { id } = await notes.create({ title: 'Milk' }, { grants: { read: { roles: ['anonymous'] } } });
    expect((await of(service.client()).get(id)).title).toBe('Milk');
    expect(await of(friend).find((await notes.create({ title: 'Secret' })).id)).toBeNull();
    await notes.grant(id, 'update', { user: nameOf(friend) });
    await notes.grant(id, 'all', { group: group.id });
    expect((await of(friend).update(id, { litres: 2 })).litres).toBe(2);
    expect(await notes.grants(id)).toEqual({
      read: { users: [], roles: ['anonymous'], groups: [] },
      update: { users: [nameOf(friend)], roles: [], groups: [] },
      delete: { users: [], roles: [], groups: [] },
      all: { users: [], roles: [], groups: [group.id] },
    });
    expect(await of(friend).grants(id)).toBeNull();
    await notes.revoke(id, 'update', { user: nameOf(friend) });
    expect(await failureOf(of(friend).update(id, { litres: 3 }))).toMatchObject({ code: 'access.denied', status: 403 });
    await notes.setGrants(id, { read: { users: [nameOf(friend)] } });
    expect(await failureOf(of(service.client()).get(id))).toMatchObject({ code: 'access.denied' });
  });

  it('are changed together or not at all', async () => {
    const { client, notes } = await openNotes(service);
    const { operations } = notes;
    const { id } = await notes.create({ title: 'Milk' });
    const [bread, milk, nothing, gone] = await client.batch([
      operations.create({ title: 'Bread' }),
      operations.setField(id, 'litres', 5),
      operations.grant(id, 'read', { role: 'anonymous' }),
      operations.remove(id),
    ]);
    expect([bread.title, milk.litres, nothing, gone]).toEqual(['Bread', 5, undefined, undefined]);
    const failure = await failureOf(client.batch([operations.create({ title: 'Never' }), operations.get(id)]));
    expect(failure).toMatchObject({ code: 'document.not_found', operation: 1 });
    const settled = await client.batchSettled([operations.create({ title: 'Eggs' }), operations.get(id)]);
    expect(settled).toMatchObject([
      { ok: true, data: { title: 'Eggs' } },
      { ok: false, error: { code: 'document.not_found', status: 404 } },
    ]);
    expect((await notes.query().orderBy('title').list()).map(({ title }) => title)).toEqual(['Bread', 'Eggs']);
  });

  it('take effect once for each key of the app', async () => {
    const { notes } = await openNotes(service);
    const options = { idempotencyKey: service.unique('key') };
    const [first, second] = [await notes.create({ title: 'A' }, options), await notes.create({ title: 'A' }, options)];
    expect([second, await notes.query().count()]).toEqual([first, 1]);
    const other = await failureOf(notes.create({ title: 'B' }, options));
    expect(other).toMatchObject({ code: 'idempotency.mismatch', status: 422 });
  });
});

onEveryService('queries through the client', (service) => {
  async function openShop() {
    const opened = await openNotes(service);
    const { client, notes } = opened;
    const rows: Note[] = [
      { title: 'Milk', litres: 1, done: false, tags: ['cold', 'white'], by: { name: 'ann' } },
      { title: 'Water', litres: 6, done: true, tags: [], by: { name: 'bob' } },
      { title: 'Wine', litres: 2, done: false, by: { name: 'ann' } },
      { title: 'Bread', done: false },
    ];
    await client.batch(rows.map((row) => notes.operations.create(row)));
    return opened;
  }
  const titles = (rows: readonly { readonly title: string }[]) => rows.map(({ title }) => title);

  it('filter, sort and count', async () => {
    const { notes } = await openShop();
    const all = notes.query();
    expect(titles(await all.where('litres > ?', 1).orderBy('title', 'desc').list())).toEqual(['Wine', 'Water']);
    expect(titles(await all.where('done = ? and by.name = ?', false, 'ann').list())).toEqual(['Milk', 'Wine']);
    expect(titles(await all.where('litres between ? and ?', 2, 6).list())).toEqual(['Water', 'Wine']);
    expect(titles(await all.where('title in ?', ['Milk', 'Bread']).list())).toEqual(['Milk', 'Bread']);
    expect(titles(await all.where('tags contains ?', 'cold').list())).toEqual(['Milk']);
    expect(titles(await all.where('litres is null').list())).toEqual(['Bread']);
    expect(titles(await all.where('(title like ? or title like ?)', 'W%', 'B%').list())).toEqual([
      'Water',
      'Wine',
      'Bread',
    ]);
    // An "or" stays inside its own condition.
    const either = all.where('title = ? or title = ?', 'Milk', 'Water').where('done = ?', true);
    expect(titles(await either.list())).toEqual(['Water']);
    expect([await either.count(), await all.count()]).toEqual([1, 4]);
    expect((await all.orderBy('litres', 'desc').first())?.title).toBe('Water');
    expect(await all.where('title = ?', 'nothing').first()).toBeNull();
    const since = new Date(Date.now() - 3_600_000);
    expect(await all.where('_creation_date > ?', since).count()).toBe(4);
    expect(await all.where('_creation_date < ?', since).count()).toBe(0);
  });

  it('take fields and operators that only the running program knows', async () => {
    const { notes } = await openShop();
    const all = notes.query();
    expect(titles(await all.whereField('by.name', '=', 'ann').list())).toEqual(['Milk', 'Wine']);
    expect(titles(await all.whereField('litres', 'between', [2, 6]).list())).toEqual(['Water', 'Wine']);
    expect(titles(await all.whereField('litres', 'is null').list())).toEqual(['Bread']);
    expect(titles(await all.whereUnchecked('title.length() = ?', 4).list())).toEqual(['Milk', 'Wine']);
  });

  it('read every row, page by page', async () => {
    const { notes } = await openShop();
    const rows: string[] = [];
    for await (const { title } of notes.query().orderBy('title').pageSize(1)) rows.push(title);
    expect(rows).toEqual(['Bread', 'Milk', 'Water', 'Wine']);
    expect(titles(await notes.query().pageSize(2).list({ limit: 3 }))).toEqual(['Milk', 'Water', 'Wine']);
    expect(await notes.query().list({ limit: 0 })).toEqual([]);
    const first = await notes.query().pageSize(3).page();
    const second = await notes.query().pageSize(3).page(first.next);
    expect([titles(first.rows), titles(second.rows), second.next]).toEqual([
      ['Milk', 'Water', 'Wine'],
      ['Bread'],
      null,
    ]);
    const counted = await notes.query().where('litres > ?', 0).pageSize(1).pageWithTotal();
    expect([counted.rows.length, counted.total, counted.next]).toEqual([1, 3, expect.any(String)]);
    expect((await notes.query().pageSize(3).pageWithTotal(first.next)).total).toBe(4);
  });

  it('return some members, aggregates and groups', async () => {
    const { notes } = await openShop();
    expect(await notes.query().where('litres > ?', 1).select('title', 'by.name').list()).toEqual([
      { title: 'Water', 'by.name': 'bob' },
      { title: 'Wine', 'by.name': 'ann' },
    ]);
    const all = notes.query();
    expect(await all.aggregate({ rows: 'count(*)', litres: 'sum(litres)', last: 'max(title)' })).toEqual({
      rows: 4,
      litres: 9,
      last: 'Wine',
    });
    expect(await all.where('litres > ?', 0).aggregateBy('by.name', { average: 'avg(litres)' })).toEqual([
      { 'by.name': 'ann', average: 1.5 },
      { 'by.name': 'bob', average: 6 },
    ]);
  });

  it('expand references', async () => {
    const { client, notes } = await openShop();
    const milk = await notes.query().where('title = ?', 'Milk').first();
    const list = await notes.create({ title: 'List', list: milk?.id ?? '' });
    const read = await notes.get(list.id, { expand: ['list', '_author'] });
    expect(read._expanded).toMatchObject({ list: { title: 'Milk' }, _author: { user: { name: nameOf(client) } } });
    const listed = await notes.query().where('title = ?', 'List').expand('list').list();
    expect(listed[0]?._expanded).toMatchObject({ list: { title: 'Milk' } });
  });

  it('cannot be changed by values or names that users typed', async () => {
    const { notes } = await openShop();
    const typed = [`' or '1' = '1`, '" or true', '?', '%', '`', 'x) or (true', "\\'", 'null', '🙂'];
    for (const text of typed) {
      expect([text, await notes.query().where('title = ?', text).count()]).toEqual([text, 0]);
      expect([text, await notes.query().where('title in ?', [text]).count()]).toEqual([text, 0]);
    }
    // A page in JavaScript may pass on a field that a user chose.
    const loose = notes.query();
    for (const field of ['`title = title or title`', '`count(*)`', '`a, b`']) {
      expect(await loose.whereField(field as 'title', '=', 'y').count()).toBe(0);
      expect(await loose.orderBy(field as 'title').count()).toBe(4);
    }
    for (const field of ['title = title or title', 'true or title', 'count(*)', 'a, b', 'not x'])
      expect(() => loose.whereField(field as 'title', '=', 'y')).toThrow(TypeError);
    expect(() => loose.whereField('title', '= "x" or true or title =' as '=', 'y')).toThrow(TypeError);
    for (const path of ['[0]', 'x` is null or `x', 'a..b', '', 'a[b]']) {
      expect(() => loose.orderBy(path as 'title')).toThrow(TypeError);
    }
    expect(() => loose.orderBy('title', 'asc, litres' as 'asc')).toThrow(TypeError);
  });

  it('refuse conditions whose parameters are missing or cannot be compared', async () => {
    const { notes } = await openShop();
    const query = notes.query();
    expect(() => query.whereUnchecked('title = ? and litres = ?', 'x')).toThrow('has 2 placeholders');
    expect(() => query.whereUnchecked("title = 'what?'", 'x')).toThrow('has 0 placeholders');
    for (const value of [null, undefined, Number.NaN, {}, Symbol('s')]) {
      expect(() => query.whereUnchecked('title = ?', value)).toThrow(/cannot be a parameter/);
    }
    const failure = await failureOf(query.whereUnchecked('title ~ ?', 'x').list());
    expect(failure).toMatchObject({ code: 'criteria.invalid', status: 400, errors: [{ path: 'query.where' }] });
  });

  it('reach nothing outside the collection by an id or a name', async () => {
    const { client, notes } = await openShop();
    for (const id of ['..', '.', '']) {
      expect(() => notes.get(id)).toThrow(TypeError);
    }
    for (const id of ['../../me', 'x/../../me', '%2e%2e', 'x?y', 'x#y']) {
      expect((await failureOf(notes.get(id))).status).toBe(404);
    }
    expect((await failureOf(client.users.get('a/../b'))).code).toBe('path.segment_invalid');
  });
});
