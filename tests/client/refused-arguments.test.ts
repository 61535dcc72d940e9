import { createClient } from '@baobab/client';
import { createOffline, indexedDbStore, memoryStore } from '@baobab/client/offline';
import { describe, expect, it } from 'vitest';

/** A client of a page without types, which may pass anything. Nothing is sent. */
function withoutTypes() {
  const client = createClient({
    url: 'http://service',
    appCode: 'code',
    keepAlive: 0,
    fetch: () => Promise.reject(new TypeError('a request was sent')),
  });
  // biome-ignore lint/suspicious/noExplicitAny: pages without types pass anything
  const query = client.collection('milk').query() as any;
  return { client, query };
}

describe('a query refuses what it would otherwise drop', () => {
  it.each([
    ['title desc'],
    ['lower(title)'],
    ['title.toUpperCase()'],
    ['title.toLowerCase().toLowerCase()'],
    ['title, day'],
  ])('the order %j', (path) => {
    expect(() => withoutTypes().query.orderBy(path)).toThrow('is not a path');
  });

  it('but takes an order in lower case, and names in backticks', () => {
    const { query } = withoutTypes();
    expect(query.orderBy('title.toLowerCase()').orderBy('`the day`', 'desc').criteria.orderBy).toEqual([
      '`title`.toLowerCase() asc',
      '`the day` desc',
    ]);
  });

  it('directions and texts', () => {
    const { query } = withoutTypes();
    expect(() => query.orderBy('title', 'DESC')).toThrow('not asc or desc');
    expect(() => query.select(['title', 'day'])).toThrow('is not a path');
    expect(() => query.search(undefined)).toThrow('search needs a text');
  });

  it('a condition as a tagged template', () => {
    const { query } = withoutTypes();
    expect(() => query.where`title = ${'Milk'}`).toThrow('not a template tag');
    expect(() => query.whereUnchecked`title = ${'Milk'}`).toThrow('not a template tag');
  });
});

describe('an offline store fails with codes', () => {
  const CLOSED = { name: 'BaobabError', code: 'client.store_closed' };

  it('after it was closed', async () => {
    const store = indexedDbStore('closed');
    store.close();
    await expect(store.list('')).rejects.toMatchObject(CLOSED);
  });

  it('whatever its store fails with', async () => {
    const { client } = withoutTypes();
    const failing = { ...memoryStore(), update: () => Promise.reject(new Error('the disk is gone')) };
    const errors: unknown[] = [];
    const offline = createOffline(client, {
      store: failing,
      collections: ['milk'],
      onError: (error) => errors.push(error.code),
    });
    const failure = { name: 'BaobabError', code: 'client.store_unavailable', cause: { message: 'the disk is gone' } };
    await expect(offline.ready).rejects.toMatchObject(failure);
    expect(errors).toContain('client.store_unavailable');
    offline.close();
  });
});
