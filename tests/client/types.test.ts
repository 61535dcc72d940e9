import {
  addToSet,
  append,
  type Baobab,
  createClient,
  increment,
  isBaobabError,
  max,
  remove,
  removeFrom,
  type Stored,
} from '@baobab/client';
import { createAdminClient } from '@baobab/client/admin';
import { createOffline, memoryStore } from '@baobab/client/offline';
import { describe, expect, expectTypeOf, it } from 'vitest';

/** As `baobab types` writes them. */
type Milk = {
  /** Kind of the item. */
  title: string;
  litres?: number;
  state: 'fresh' | 'sour';
  done?: boolean;
  tags?: string[];
  by: {
    name: string;
    places?: { city: string }[];
  };
  parent?: Milk;
  odd?: unknown;
  states?: ('fresh' | 'sour')[];
  walks?: { stops: number[] }[];
  [name: string]: unknown;
};
type Anything = {
  [name: string]: unknown;
};
interface App {
  collections: {
    milk: Milk;
    things: Anything;
  };
}

const client = createClient<App>({
  url: 'http://localhost',
  appCode: 'x',
  keepAlive: 0,
  fetch: () => Promise.reject(),
});
const root = createAdminClient<App>({
  url: 'http://localhost',
  appCode: 'x',
  keepAlive: 0,
  fetch: () => Promise.reject(),
});
const milk = client.collection('milk');
const query = milk.query();

// The compiler checks the functions below; only the queries in them run. `@ts-expect-error` fails where nothing is wrong.
describe('the types of the client', () => {
  it('know the collections', () => {
    expectTypeOf(milk.create).parameter(0).toEqualTypeOf<Milk>();
    expectTypeOf(milk.get).returns.resolves.toEqualTypeOf<Stored<Milk>>();
    expectTypeOf<Stored<Milk>['@version']>().toEqualTypeOf<number>();
    // @ts-expect-error there is no such collection
    client.collection('milks');
    // A client without types takes every name.
    const any: Baobab = createClient({ url: 'http://localhost', appCode: 'x', keepAlive: 0 });
    expectTypeOf(any.collection('whatever').query).toBeFunction();
  });

  it('know which lists take conditions', () => {
    const never = () => {
      root.admin.users.query().where('user.name = ?', 'ann');
      // @ts-expect-error the list of groups takes none
      root.admin.groups().where('name = ?', 'family');
    };
    expect(never).toBeTypeOf('function');
  });

  it('know the collections and fields of the offline part', () => {
    const never = async () => {
      const offline = createOffline(client, { store: memoryStore(), collections: ['milk'] });
      // @ts-expect-error there is no such collection
      createOffline(client, { store: memoryStore(), collections: ['milks'] });
      // @ts-expect-error there is no such collection
      offline.collection('milks');
      const kept = offline.collection('milk');
      expectTypeOf(kept.create).parameter(0).toEqualTypeOf<Milk>();
      expectTypeOf(kept.get).returns.resolves.toEqualTypeOf<Stored<Milk> | null>();
      expectTypeOf(kept.query().list).returns.resolves.toEqualTypeOf<readonly Stored<Milk>[]>();
      // @ts-expect-error no such state
      await kept.update('id', { state: 'frozen' });
      await kept.update('id', { litres: increment(1), tags: addToSet('x'), done: remove() });
      // @ts-expect-error a title is no number
      await kept.update('id', { title: increment(1) });
      kept.query().whereField('by.name', '=', 'x').whereField('tags', 'contains', 'y').whereField('done', 'is null');
      // @ts-expect-error a text is no number
      kept.query().whereField('litres', '>', '1');
      // @ts-expect-error a list is needed
      kept.query().whereField('state', 'in', 'fresh');
      // @ts-expect-error the function takes a number
      kept.query().filter(({ litres = 0 }, most: number) => litres < most, '1');
    };
    expect(never).toBeTypeOf('function');
  });

  it('know the fields of documents', () => {
    const never = async () => {
      // @ts-expect-error the title is missing
      await milk.create({ state: 'fresh', by: { name: 'x' } });
      // @ts-expect-error a text is no number
      await milk.create({ title: 'x', state: 'fresh', by: { name: 'x' }, litres: '1' });
      // @ts-expect-error no such state
      await milk.update('id', { state: 'frozen' });
      await milk.update('id', { litres: increment(1), tags: addToSet('x', 'y'), done: remove(), more: increment() });
      await milk.update('id', { litres: max(3), tags: removeFrom('x'), parent: remove() });
      await milk.update('id', { states: addToSet('fresh'), walks: append({ stops: [1] }, { stops: [] }) });
      // @ts-expect-error no such state
      await milk.update('id', { states: addToSet('frozen') });
      // @ts-expect-error a title is no number
      await milk.update('id', { title: increment(1) });
      // @ts-expect-error the elements are texts
      await milk.update('id', { tags: append(1) });
      // @ts-expect-error a number is no list
      await milk.update('id', { litres: append(1) });
      // @ts-expect-error the title is required
      await milk.update('id', { title: remove() });
      // @ts-expect-error no such state
      milk.operations.update('id', { state: 'frozen' });
      const some: Partial<Milk> = { litres: 1 };
      await milk.update('id', some);
      await milk.update('id', { odd: some.odd, more: some.extra });
      // @ts-expect-error documents are created from values
      await milk.create({ title: 'x', state: 'fresh', by: { name: 'x' }, litres: increment(1) });
      await client.collection('things').update('id', { n: increment(1), list: append(1, 'x'), old: remove(), a: 1 });
      // @ts-expect-error no such field
      await milk.setField('id', 'litters', 1);
      // @ts-expect-error a text is no number
      await milk.setField('id', 'litres', 'x');
      // @ts-expect-error the elements are texts
      await milk.append('id', 'tags', 1);
      await milk.append('id', 'tags', 'x');
      await milk.append('id', 'by.places', { city: 'Turin' });
      await milk.setField('id', 'by.places[0].city', 'Turin');
      // @ts-expect-error a city is a text
      await milk.setField('id', 'by.places[0].city', 1);
      expectTypeOf(await milk.field('id', 'by.name')).toEqualTypeOf<string>();
      expectTypeOf(await milk.field('id', 'tags[0]')).toEqualTypeOf<string>();
      expectTypeOf(await milk.field('id', 'parent.by.name')).toEqualTypeOf<string>();
      expectTypeOf(await milk.field('id', 'odd')).toEqualTypeOf<unknown>();
    };
    expect(never).toBeTypeOf('function');
  });

  it('check the fields, operators and values of conditions', () => {
    query.where('litres > ?', 1);
    query.where('litres > ? and title like ?', 1, 'M%');
    query.where('(state = ? or state = ?) and done = ?', 'fresh', 'sour', true);
    query.where('not by.name = ?', 'ann');
    query.where('litres between ? and ? or litres is null', 1, 2);
    query.where('title in ?', ['a', 'b']);
    query.where('tags contains ?', 'a');
    query.where('by.places[0].city = ?', 'Turin');
    query.where('_creation_date > ? and @version = ?', new Date(), 1);
    query.where('odd = ?', 1);
    const wrong = () => {
      // @ts-expect-error no such field
      query.where('litters > ?', 1);
      // @ts-expect-error no such field, without a parameter
      query.where('litters is null');
      // @ts-expect-error no such field in an object
      query.where('by.nome = ?', 'x');
      // @ts-expect-error a text is no number
      query.where('litres > ?', '1');
      // @ts-expect-error no such state
      query.where('state = ?', 'frozen');
      // @ts-expect-error the second parameter is a text
      query.where('litres > ? and title = ?', 1, 2);
      // @ts-expect-error a parameter is missing
      query.where('litres > ? and title = ?', 1);
      // @ts-expect-error one parameter too many
      query.where('litres > ?', 1, 2);
      // @ts-expect-error null is never equal: "is null"
      query.where('title = ?', null);
      // @ts-expect-error no such operator
      query.where('title ~ ?', 'x');
      // @ts-expect-error the wrong word
      query.where('title = ? und done = ?', 'x', true);
      // @ts-expect-error values are parameters
      query.where("title = 'x'");
      const typed: string = 'x';
      // @ts-expect-error a condition is a literal text, so nothing that a user typed gets into it
      query.where(`title = '${typed}'`);
      // @ts-expect-error the elements of the list are texts
      query.where('title in ?', [1]);
    };
    expect(wrong).toThrow(TypeError);
    expect(query.where('litres > ?', 1).where('title = ?', 'x').criteria).toMatchObject({
      where: ['litres > ?', 'title = ?'],
      params: ['1', 'x'],
    });
  });

  it('know the methods of values and keywords in upper case', () => {
    query.where('title.toLowerCase() like ? AND litres IS NOT NULL', 'm%');
    query.where('by.name.toUpperCase() = ? OR tags.size() > ?', 'ANN', 1);
    query.where('NOT title.toLowerCase().length() IN ?', [1, 2]);
    query.where('litres BETWEEN ? AND ? AND title LIKE ? AND tags CONTAINS ?', 1, 2, 'M%', 'a');
    query.where('odd.toLowerCase() = ? and odd.size() = ?', 'x', 1);
    const wrong = () => {
      // @ts-expect-error a length is a number
      query.where('title.length() = ?', '5');
      // @ts-expect-error a number has no lower case
      query.where('litres.toLowerCase() = ?', 'x');
      // @ts-expect-error a text has no size
      query.where('title.size() = ?', 1);
      // @ts-expect-error a length has no lower case
      query.where('title.length().toLowerCase() = ?', 'x');
      // @ts-expect-error no such method
      query.where('title.trim() = ?', 'x');
      // @ts-expect-error no such field
      query.where('litters.toLowerCase() = ?', 'x');
    };
    expect(wrong).toBeTypeOf('function');
  });

  it('check conditions on one field, orders, members and aggregates', () => {
    query.whereField('litres', '>=', 1).whereField('title', 'in', ['a']).whereField('done', 'is null');
    query.whereField('litres', 'between', [1, 2]).orderBy('by.name', 'desc').orderBy('_creation_date');
    query.orderBy('title.toLowerCase()').orderBy('by.name', 'asc', { collate: 'de' });
    // @ts-expect-error no such language
    query.orderBy('title', 'asc', { collate: 'xx' });
    const wrong = async () => {
      // @ts-expect-error no such field
      query.whereField('litters', '=', 1);
      // @ts-expect-error a text is no number
      query.whereField('litres', '=', 'x');
      // @ts-expect-error no value
      query.whereField('litres', 'is null', 1);
      // @ts-expect-error no such field
      query.orderBy('litters');
      // @ts-expect-error no such direction
      query.orderBy('litres', 'down');
      // @ts-expect-error no such field
      query.select('litters');
      // @ts-expect-error no such aggregate
      await query.aggregate({ x: 'median(litres)' });
      // @ts-expect-error no such field
      await query.aggregate({ x: 'sum(litters)' });
      // @ts-expect-error no such field
      await query.aggregateBy('litters', { x: 'count(*)' });
    };
    expect(wrong).toBeTypeOf('function');
    const right = async () => {
      const rows = await query.select('title', 'by.name').list();
      expectTypeOf(rows).toEqualTypeOf<{ readonly title: string | null; readonly 'by.name': string | null }[]>();
      const sums = await query.aggregate({ rows: 'count(*)', mean: 'avg(litres)', last: 'max(title)' });
      expectTypeOf(sums).toEqualTypeOf<{
        readonly rows: number;
        readonly mean: number | null;
        readonly last: string | null;
      }>();
      for await (const row of query) expectTypeOf(row).toEqualTypeOf<Stored<Milk>>();
    };
    expect(right).toBeTypeOf('function');
  });

  it('let a collection without a schema contain anything', () => {
    const things = client.collection('things').query();
    expect(things.where('whatever.deep[0] = ? and other like ?', 5, 'x').orderBy('whatever').criteria.params).toEqual([
      '5',
      'x',
    ]);
  });

  it('have live queries of whole documents', () => {
    const never = () => {
      milk.query().live((rows, { removed }) => {
        expectTypeOf(rows).toEqualTypeOf<readonly Stored<Milk>[]>();
        expectTypeOf(removed).toEqualTypeOf<readonly Stored<Milk>[]>();
      });
      milk.live('id', (document) => expectTypeOf(document).toEqualTypeOf<Stored<Milk> | null>());
      const some = milk.query().select('title');
      // @ts-expect-error the rows have some members only
      some.live(() => undefined);
      const users = client.users.query();
      // @ts-expect-error users are not in the change feed
      users.live(() => undefined);
    };
    expect(never).toBeTypeOf('function');
  });

  it('know what the operations of a batch result in', () => {
    const never = async () => {
      const { operations } = milk;
      const [made, gone] = await client.batch([operations.get('id'), operations.remove('id')]);
      expectTypeOf(made).toEqualTypeOf<Stored<Milk>>();
      expectTypeOf(gone).toEqualTypeOf<void>();
      const [settled] = await client.batchSettled([operations.get('id')]);
      if (settled.ok) expectTypeOf(settled.data).toEqualTypeOf<Stored<Milk>>();
      else expectTypeOf(settled.error.status).toEqualTypeOf<number>();
    };
    expect(never).toBeTypeOf('function');
  });

  it('know what a login, a second factor and a webhook need', () => {
    const never = async () => {
      const { auth, admin } = root;
      await auth.login({ username: 'ann', password: 'secret', code: '123456' });
      // @ts-expect-error a code belongs to a login
      await auth.signUp({ username: 'ann', password: 'secret', code: '123456' });
      await auth.loginSecond('challenge', { recoveryCode: 'x' });
      // @ts-expect-error a proof is missing
      await auth.loginSecond('challenge', {});
      // @ts-expect-error a group takes a key, a new name does not
      await client.groups.rename('id', 'name', { idempotencyKey: 'x' });
      await client.groups.create('name', { idempotencyKey: 'x' });
      // @ts-expect-error the collections are missing
      await admin.webhooks.create({ url: 'https://a.example' });
      // @ts-expect-error there is no such change
      await admin.webhooks.update('id', { types: ['post'] });
      // @ts-expect-error the secret is shown only by its creation
      expectTypeOf((await admin.webhooks.get('id')).secret).toBeString();
    };
    expect(never).toBeTypeOf('function');
    expectTypeOf(client.auth.secondFactor.confirm).returns.resolves.toEqualTypeOf<string[]>();
  });

  it('know the codes of failures', () => {
    const error: unknown = new Error('x');
    if (isBaobabError(error, 'document.stale', 'client.network')) {
      expectTypeOf(error.code).toEqualTypeOf<'document.stale' | 'client.network'>();
    }
    if (isBaobabError(error)) {
      // @ts-expect-error there is no such code
      if (error.code === 'document.stole') return;
    }
    // @ts-expect-error there is no such code
    expect(isBaobabError(error, 'document.stole')).toBe(false);
  });
});
