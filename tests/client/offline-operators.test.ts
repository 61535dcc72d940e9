import { addToSet, append, increment, max, min, remove, removeFrom } from '@baobab/client';
import { mergeFields } from '@baobab/client/offline';
import { expect, it, vi } from 'vitest';
import { PASSWORD } from '../support/client-service.ts';
import { onDevices } from '../support/offline/devices.ts';

onDevices('operators of offline updates', (world) => {
  /** Two devices of one user, that both have a document. */
  async function twoDevices(content: { title: string; litres?: number; tags?: string[]; done?: boolean }) {
    const one = await world.device({ onConflict: mergeFields });
    const { id } = await one.items.create(content);
    await one.offline.sync();
    const two = await world.device({ name: one.name, onConflict: mergeFields });
    await two.offline.sync();
    const [stored] = await two.items.query().list();
    return { one, two, id: stored?.id ?? id };
  }

  it('are shown immediately, and as the server computes them', async () => {
    const { one, id } = await twoDevices({ title: 'Milk', litres: 5, tags: ['a', 'b', 'a'], done: true });
    const seen: unknown[] = [];
    for (const patch of [
      { litres: increment(2), tags: append('c'), done: remove() },
      { litres: min(4), tags: addToSet('c', 'd', 'd') },
      { litres: max(9), tags: removeFrom('a') },
      { price: increment(0.5), marks: addToSet('x') },
    ]) {
      seen.push(await one.items.update(id, patch));
    }
    const expected = { litres: 9, tags: ['b', 'c', 'd'], price: 0.5, marks: ['x'] };
    expect(seen.at(-1)).toMatchObject(expected);
    expect(seen.at(-1)).not.toHaveProperty('done');
    await one.offline.sync();
    const after = await one.items.get(id);
    expect(after).toMatchObject(expected);
    expect(after).not.toHaveProperty('done');
    expect(one.offline.waiting).toBe(0);
  });

  it('merge with each other and with those of other devices, without a conflict', async () => {
    const { one, two, id } = await twoDevices({ title: 'Milk', litres: 1, tags: ['a'] });
    await one.items.update(id, { litres: increment(2), tags: append('one') });
    await one.items.update(id, { litres: increment(3), tags: addToSet('a', 'both') });
    await two.items.update(id, { litres: increment(10), tags: append('two') });
    await two.items.update(id, { tags: addToSet('both') });
    for (const device of [one, two, one]) await device.offline.sync();
    for (const { items } of [one, two]) {
      const { litres, tags } = (await items.get(id)) ?? {};
      expect([litres, tags?.toSorted()]).toEqual([16, ['a', 'both', 'one', 'two']]);
    }
    expect([...one.offline.failed, ...two.offline.failed]).toEqual([]);
  });

  it('conflict only where values were set, and count on top of what the server has', async () => {
    const { one, two, id } = await twoDevices({ title: 'Milk', litres: 1 });
    await one.items.update(id, { litres: increment(2) });
    await one.items.update(id, { title: 'Oat milk', litres: increment(4) });
    await two.items.update(id, { title: 'Soy milk', litres: increment(10) });
    await two.offline.sync();
    await one.offline.sync();
    await two.offline.sync();
    for (const { items } of [one, two]) expect(await items.get(id)).toMatchObject({ title: 'Oat milk', litres: 17 });
  });

  it('do not hide from a later write what others have set', async () => {
    const conflicts: unknown[] = [];
    const one = await world.device({
      onConflict(_local, remote, { content }) {
        conflicts.push([remote?.title, content.title]);
        return 'theirs';
      },
    });
    const { id } = await one.items.create({ title: 'Milk', litres: 1 });
    await one.offline.sync();
    const two = await world.device({ name: one.name });
    await two.offline.sync();
    await one.items.update(id, { litres: increment(1) });
    await one.items.update(id, { title: 'Oat milk' });
    const [known] = await two.items.query().list();
    await two.items.update(known?.id ?? '', { title: 'Soy milk' });
    await two.offline.sync();
    await one.offline.sync();
    expect(conflicts).toEqual([['Soy milk', 'Oat milk']]);
    expect(await one.items.get(id)).toMatchObject({ title: 'Soy milk', litres: 2 });
  });

  it('are not sent again when nobody knows whether they took effect', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const { one, id } = await twoDevices({ title: 'Milk', litres: 1, tags: [] });
      await one.items.update(id, { tags: addToSet('a') });
      one.net.losesAnswers = true;
      await expect(one.offline.sync()).rejects.toMatchObject({ code: 'client.network' });
      one.net.losesAnswers = false;
      vi.setSystemTime(Date.now() + 24 * 3_600_000);
      await one.baobab.auth.login({ username: one.name, password: PASSWORD });
      await one.offline.sync();
      expect(one.offline.waiting).toBe(0);
      await one.items.update(id, { litres: increment(1) });
      one.net.losesAnswers = true;
      await expect(one.offline.sync()).rejects.toMatchObject({ code: 'client.network' });
      one.net.losesAnswers = false;
      vi.setSystemTime(Date.now() + 24 * 3_600_000);
      await one.baobab.auth.login({ username: one.name, password: PASSWORD });
      await one.offline.sync();
      expect(one.offline.failed).toMatchObject([
        { changes: { litres: ['increment', 1] }, error: { code: 'client.outcome_unknown' } },
      ]);
      await one.offline.failed[0]?.discard();
      expect(await one.items.get(id)).toMatchObject({ litres: 2, tags: ['a'] });
    } finally {
      vi.useRealTimers();
    }
  });
});
