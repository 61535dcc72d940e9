import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { adminOf, expectStatus, type Person } from '../support/people.ts';

/** More children than one transaction removes. */
const MANY = 250;
const BATCH = 50;

onEveryStorage('the removal of children', (world) => {
  const create = async (person: Person, collection: string, body: object = {}) =>
    (await expectStatus(world.call('POST', `/document/${collection}`, { token: person.token, body }), 200)).data.id;
  const createMany = async ({ token }: Person, collection: string, body: object) => {
    const one = { method: 'POST', path: `/document/${collection}`, body };
    for (let left = MANY; left > 0; left -= BATCH) {
      const operations = Array.from({ length: BATCH }, () => one);
      await expectStatus(world.call('POST', '/batch', { token, body: { operations } }), 200);
    }
  };
  const countOf = async (collection: string) =>
    (await world.call('GET', `/document/${collection}/count`, { basic: adminOf(world) })).data.count;
  const setParent = (name: string, collection: string | null) => {
    const body = { parent: { field: 'up', collection, read: 'read', onDelete: 'cascade' } };
    return expectStatus(world.call('PUT', `/admin/collection/${name}/rules`, { basic: adminOf(world), body }), 200);
  };
  const statusOf = async (id: string) => (await world.call('GET', `/document/${id}`, { basic: adminOf(world) })).status;

  /** Boards with tasks; notes that belong to documents of any other collection; remarks that belong to notes alone. */
  async function scene() {
    const [boards, tasks, notes, remarks] = [
      await world.collection(),
      await world.collection(),
      await world.collection(),
      await world.collection(),
    ];
    await setParent(tasks, boards);
    await setParent(notes, null);
    await setParent(remarks, notes);
    const [owner, other] = [await world.user(), await world.user()];
    const [board, note] = [await create(owner, boards), await create(owner, notes)];
    return {
      boards,
      tasks,
      owner,
      other,
      board,
      gone: [await create(other, notes, { up: board }), await create(other, remarks, { up: note })],
      stay: [await create(other, notes, { up: note }), await create(other, remarks, { up: board })],
    };
  }

  it('with a user leaves documents whose parents are in other collections', async () => {
    const { tasks, owner, other, board, gone, stay } = await scene();
    const task = await create(other, tasks, { up: board });
    await expectStatus(world.call('DELETE', `/admin/user/${owner.name}`, { basic: adminOf(world) }), 200);
    expect(await Promise.all([task, ...gone].map(statusOf))).toEqual([404, 404, 404]);
    expect(await Promise.all(stay.map(statusOf))).toEqual([200, 200]);
  });

  it('in parts removes all of many children whose parent is among them', async () => {
    const [ups, downs] = [await world.collection(), await world.collection()];
    await setParent(ups, null);
    await setParent(downs, null);
    const owner = await world.user();
    const up = await create(owner, ups);
    const down = await create(owner, downs, { up });
    await expectStatus(world.call('PUT', `/document/${ups}/${up}`, { token: owner.token, body: { up: down } }), 200);
    await createMany(owner, ups, { up: down });
    await expectStatus(world.call('DELETE', `/document/${ups}/${up}`, { token: owner.token }), 204);
    expect(await countOf(ups)).toBe(0);
  });

  it('in parts leaves documents whose parents are in other collections', async () => {
    const { boards, tasks, owner, other, board, gone, stay } = await scene();
    await createMany(other, tasks, { up: board });
    await expectStatus(world.call('DELETE', `/document/${boards}/${board}`, { token: owner.token }), 204);
    expect(await countOf(tasks)).toBe(0);
    expect(await statusOf(gone[0] ?? '')).toBe(404);
    expect(await Promise.all(stay.map(statusOf))).toEqual([200, 200]);
  });
});
