import { addToSet, append, increment, isBaobabError, max, min, remove, removeFrom } from '@baobab/client';
import { expect, it } from 'vitest';
import { type ClientService, onEveryService } from '../support/client-service.ts';

interface Post {
  title: string;
  likes?: number;
  tags?: string[];
  due?: string;
  cheapest?: number;
  [name: string]: unknown;
}
interface App {
  collections: { posts: Post };
}

async function openPosts(service: ClientService) {
  const client = await service.user<App>();
  const posts = client.collection((await service.collection()) as 'posts');
  return { client, posts };
}

onEveryService('changes by operators', (service) => {
  it('change a document at once, beside new values', async () => {
    const { posts } = await openPosts(service);
    const { id } = await posts.create({ title: 'Zeno', likes: 3, tags: ['a', 'b'], due: 'today', cheapest: 7 });
    const changed = await posts.update(id, {
      title: 'La coscienza',
      likes: increment(),
      tags: addToSet('b', 'c'),
      due: remove(),
      cheapest: min(5),
      highest: max(9),
    });
    expect(changed).toMatchObject({ title: 'La coscienza', likes: 4, tags: ['a', 'b', 'c'], cheapest: 5, highest: 9 });
    expect([changed['@version'], 'due' in changed]).toEqual([2, false]);
    const other = await posts.update(id, { likes: increment(-4), tags: removeFrom('a'), more: append(1, [2]) });
    expect(other).toMatchObject({ likes: 0, tags: ['b', 'c'], more: [1, [2]] });
  });

  it('need the version that is given', async () => {
    const { posts } = await openPosts(service);
    const { id } = await posts.create({ title: 'Zeno' });
    expect(await posts.update(id, { likes: increment(1) }, { version: 1 })).toMatchObject({ '@version': 2 });
    await expect(posts.update(id, { likes: increment(1) }, { version: 1 })).rejects.toSatisfy((error) =>
      isBaobabError(error, 'document.stale'),
    );
  });

  it('fail with the path of a field of another type', async () => {
    const { posts } = await openPosts(service);
    const { id } = await posts.create({ title: 'Zeno', likes: 1, odd: 'x' });
    const failed = posts.update(id, { likes: increment(1), odd: increment(1) });
    await expect(failed).rejects.toMatchObject({ code: 'field.type_invalid', errors: [{ path: '/odd' }] });
    expect(await posts.get(id)).toMatchObject({ likes: 1, '@version': 1 });
  });

  it('work in batches', async () => {
    const { client, posts } = await openPosts(service);
    const { id } = await posts.create({ title: 'Zeno' });
    const { update } = posts.operations;
    const [, last] = await client.batch([update(id, { likes: increment(2) }), update(id, { tags: append('x') })]);
    expect(last).toMatchObject({ likes: 2, tags: ['x'], '@version': 3 });
    const [stale] = await client.batchSettled([update(id, { title: 'new' }, { version: 1 })]);
    expect(stale).toMatchObject({ ok: false, error: { code: 'document.stale' } });
  });

  it('reach members of any name', async () => {
    const { posts } = await openPosts(service);
    const { id } = await posts.create({ title: 'Zeno' });
    const names = ['__proto__', 'constructor', 'a.b', 'a[0]', '', '`', '10'];
    const patch = Object.fromEntries(names.map((name) => [name, increment(7)]));
    const changed = await posts.update(id, patch);
    expect(names.map((name) => Object.getOwnPropertyDescriptor(changed, name)?.value)).toEqual(names.map(() => 7));
  });

  it('are refused where the server would not compute them', async () => {
    const { posts } = await openPosts(service);
    const { id } = await posts.create({ title: 'Zeno' });
    const message = /^increment\(\) is only for members of update/;
    await expect(posts.create({ title: 'x', odd: increment(1) })).rejects.toThrow(message);
    await expect(posts.replace(id, { title: 'x', odd: increment(1) })).rejects.toThrow(message);
    await expect(posts.update(id, { odd: { inner: increment(1) } })).rejects.toThrow(message);
    expect(await posts.get(id)).toMatchObject({ title: 'Zeno', '@version': 1 });
  });

  it('of fifty clients at the same time all count', async () => {
    const { posts } = await openPosts(service);
    const { id } = await posts.create({ title: 'Zeno' }, { grants: { update: { roles: ['registereduser'] } } });
    const name = posts.name as 'posts';
    const fans = await Promise.all(Array.from({ length: 50 }, () => service.user<App>()));
    await Promise.all(
      fans.map(async (fan, n) => {
        for (let i = 0; i < 4; i++) {
          const patch = { likes: increment(1), tags: addToSet(`t${n % 5}`) };
          await fan.collection(name).update(id, patch);
        }
      }),
    );
    const { likes, tags = [] } = await posts.get(id);
    expect([likes, tags.toSorted()]).toEqual([200, ['t0', 't1', 't2', 't3', 't4']]);
  });
});
