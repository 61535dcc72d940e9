import { newDocument } from '@baobab/contracts/storage';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, createWorld } from '../support/backend.ts';
import { STORAGES, type TestStorage } from '../support/databases.ts';

const { memory: _memory, ...SHARED } = STORAGES;

describe.each(Object.entries(SHARED))(
  'content of an earlier version with a member `_expanded`, on %s',
  (_name, open) => {
    let opened: TestStorage;
    let backend: TestBackend;

    beforeAll(async () => {
      opened = await open();
      backend = await createTestBackend({ databaseUrl: opened.url });
    });
    afterAll(async () => {
      await backend.close();
      await opened.dispose();
    });

    it('is shown as it is, but not beside references, and ends with the next change', async () => {
      const world = createWorld(backend);
      const [{ token, id: author }, collection] = [await world.user(), await world.collection()];
      const old = newDocument(author, collection, { content: '{"a":1,"_expanded":{"x":"y"},"b":{"_expanded":2}}' });
      await opened.storage.documents.add(old);
      const options: CallOptions = { token };
      const url = `/document/${collection}/${old.id}`;
      const { data: plain } = await world.call('GET', url, options);
      expect(plain).toMatchObject({ a: 1, _expanded: { x: 'y' }, b: { _expanded: 2 } });
      const { data, text } = await world.call('GET', `${url}?expand=a`, options);
      expect(data).toEqual({ ...plain, _expanded: {} });
      expect(text.match(/"_expanded"/g)).toHaveLength(2);
      const { data: kept } = await world.call('PUT', `${url}/.c`, { ...options, body: { data: 3 } });
      expect(kept).toMatchObject({ _expanded: { x: 'y' }, c: 3 });
      const { data: replaced } = await world.call('PUT', url, { ...options, body: kept });
      expect(replaced).not.toHaveProperty('_expanded');
      expect(replaced).toMatchObject({ a: 1, b: { _expanded: 2 }, c: 3 });
    });
  },
);
