import type { Storage } from '@baobab/core';
import { NOBODY } from '@baobab/core';
import { expect, it } from 'vitest';
import { addCollection, addUser, EVERYTHING, NOW, newDocument, UNSORTED, uuid } from './fixtures.ts';

/** Tests changes of several documents in one transaction. */
export function documentLocksContract(current: () => Storage): void {
  async function prepare(count: number) {
    const collection = await addCollection(current(), 'Books');
    const ann = await addUser(current(), 'Ann');
    const ids: string[] = [];
    for (let n = 0; n < count; n++) {
      const document = newDocument(ann.id, collection, { content: '{"n":0}' });
      await current().documents.add(document);
      ids.push(document.id);
    }
    return { collection, ids };
  }

  const increment = (content: string) => JSON.stringify({ n: JSON.parse(content).n + 1 });

  it('can be changed in any order by many concurrent transactions, and no change is lost', async () => {
    const { collection, ids } = await prepare(60);
    const rounds = Array.from({ length: 12 }, (_, round) =>
      current().transaction(async ({ documents }) => {
        const order = round % 2 === 0 ? ids : ids.toReversed();
        await documents.lock([...order, uuid()]);
        for (const id of order) {
          await documents.edit({ collection, id }, EVERYTHING, {
            change: increment,
            by: NOBODY,
            updated: NOW,
            version: null,
          });
        }
      }),
    );
    await Promise.all(rounds);
    const list = { collection, scope: EVERYTHING, ...UNSORTED, after: null, skip: 0, limit: 100 };
    const contents = (await current().documents.list(list))?.map(({ content }) => content);
    expect(contents).toEqual(ids.map(() => '{"n":12}'));
  });

  it('are changed even when transactions deadlock, by a retry', async () => {
    const { collection, ids } = await prepare(2);
    let arrived = 0;
    let meet: () => void = () => undefined;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const work = (order: readonly string[]) =>
      current().transaction(async ({ documents }) => {
        for (const [at, id] of order.entries()) {
          await documents.edit({ collection, id }, EVERYTHING, {
            change: increment,
            by: NOBODY,
            updated: NOW,
            version: null,
          });
          if (at > 0) continue;
          if (++arrived === 2) meet();
          await Promise.race([met, new Promise((resolve) => setTimeout(resolve, 200))]);
        }
      });
    await Promise.all([work(ids), work(ids.toReversed())]);
    for (const id of ids) {
      expect((await current().documents.find({ collection, id }, EVERYTHING))?.content).toBe('{"n":2}');
    }
  });

  it('can be changed further in a transaction after an edit whose `change` threw', async () => {
    const { collection, ids } = await prepare(2);
    const [a = '', b = ''] = ids;
    const reason = new Error('not like this');
    await current().transaction(async ({ documents }) => {
      const refuse = () => {
        throw reason;
      };
      const edit = (id: string, change: (content: string) => string) =>
        documents.edit({ collection, id }, EVERYTHING, { change, by: NOBODY, updated: NOW, version: null });
      await expect(edit(a, refuse)).rejects.toBe(reason);
      await edit(b, increment);
    });
    expect(await current().documents.find({ collection, id: a }, EVERYTHING)).toMatchObject({ version: 1 });
    expect(await current().documents.find({ collection, id: b }, EVERYTHING)).toMatchObject({ version: 2 });
  });
}
