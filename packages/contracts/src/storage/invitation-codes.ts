import { type InvitationCode, KEPT_CODE_MS, MAX_CODE_LIFETIME_MS, type RowPage, type Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const FIRST: RowPage = { after: null, skip: 0, limit: 100 };
const LATER = NOW + 60_000;

/** Tests invitation codes of groups. */
export function invitationCodesContract(current: () => Storage): void {
  /** Creates a group of Ann's with a manager, and a user who is not a member. */
  async function prepare() {
    const [ann, bob, cid] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Cid'),
    ];
    const group = { id: uuid(), name: 'Friends', created: NOW };
    await current().groups.add(group, ann.id);
    await current().groups.setRole(group.id, bob.id, 'manager', { joined: NOW, counted: true });
    async function add(digest: string, change: Partial<InvitationCode> = {}): Promise<string> {
      const code = {
        id: uuid(),
        groupId: group.id,
        by: ann.id,
        role: 'member',
        email: null,
        uses: 1,
        expires: LATER,
      } as const;
      await current().invitationCodes.add({ ...code, ...change }, digest);
      return change.id ?? code.id;
    }
    const find = (digest: string, viewer: string | null = null) => current().invitationCodes.find(digest, NOW, viewer);
    return { ann, bob, cid, group, add, find };
  }

  it('are found by their digests until they expire', async () => {
    const { group, add, find } = await prepare();
    const id = await add('digest', { role: 'manager', email: 'cid@example.org', uses: 3 });
    const shown = { id, role: 'manager', email: 'cid@example.org', uses: 3, expires: LATER, by: 'Ann' };
    expect(await find('digest')).toEqual({ ...shown, group });
    expect(await find('other')).toBeNull();
    expect(await current().invitationCodes.find('digest', LATER, null)).toBeNull();
    expect(await current().invitationCodes.list(group.id, NOW, FIRST)).toEqual([shown]);
    expect(await current().invitationCodes.list(group.id, LATER, FIRST)).toEqual([]);
    expect(await current().invitationCodes.count(group.id, NOW)).toBe(1);
    expect(await current().invitationCodes.count(group.id, LATER)).toBe(0);
    expect(await current().removeExpired(NOW, 10)).toBe(0);
    expect(await current().removeExpired(LATER, 10)).toBe(1);
  });

  it('are used as often as they can be, and then only found', async () => {
    const { group, add, find } = await prepare();
    const id = await add('digest', { uses: 2 });
    const { invitationCodes } = current();
    expect(await invitationCodes.use(id, LATER)).toBe(false);
    expect(await invitationCodes.use(id, NOW)).toBe(true);
    expect(await find('digest')).toMatchObject({ uses: 1 });
    expect(await invitationCodes.use(id, NOW)).toBe(true);
    expect(await invitationCodes.use(id, NOW)).toBe(false);
    expect(await find('digest')).toMatchObject({ uses: 0, expires: LATER });
    expect(await invitationCodes.list(group.id, NOW, FIRST)).toEqual([]);
    expect(await invitationCodes.count(group.id, NOW)).toBe(0);
    expect(await invitationCodes.remove(group.id, id)).toBe(false);
  });

  it('are found for a day after their last use', async () => {
    const { add } = await prepare();
    const id = await add('digest', { uses: 2, expires: NOW + 2 * KEPT_CODE_MS });
    const { invitationCodes } = current();
    const expires = async () => (await invitationCodes.find('digest', NOW, null))?.expires;
    await invitationCodes.use(id, NOW);
    expect(await expires()).toBe(NOW + 2 * KEPT_CODE_MS);
    await invitationCodes.use(id, NOW + 1);
    expect(await expires()).toBe(NOW + 1 + KEPT_CODE_MS);
  });

  it('are listed by pages, and removed one by one or with those of a user', async () => {
    const { bob, group, add } = await prepare();
    const ids = [await add('one'), await add('two', { by: bob.id }), await add('three', { by: bob.id })];
    const { invitationCodes } = current();
    const listed = async (page: Partial<RowPage> = {}) =>
      (await invitationCodes.list(group.id, NOW, { ...FIRST, ...page })).map(({ id }) => ids.indexOf(id));
    expect(await listed()).toEqual([0, 1, 2]);
    expect(await listed({ after: ids[0] ?? null, limit: 1 })).toEqual([1]);
    expect(await listed({ skip: 2 })).toEqual([2]);
    expect(await invitationCodes.remove(uuid(), ids[1] ?? '')).toBe(false);
    expect(await invitationCodes.remove(group.id, ids[1] ?? '')).toBe(true);
    expect(await invitationCodes.remove(group.id, ids[1] ?? '')).toBe(false);
    await invitationCodes.removeOf(group.id, bob.id);
    expect(await listed()).toEqual([0]);
  });

  it('are removed with those of the owner of a group, or with all of a user', async () => {
    const { ann, bob, group, add } = await prepare();
    const other = { id: uuid(), name: 'Others', created: NOW };
    const { groups, invitationCodes } = current();
    await groups.add(other, bob.id);
    for (const [digest, by, groupId] of [
      ['one', ann.id, group.id],
      ['two', bob.id, group.id],
      ['three', bob.id, other.id],
      ['four', ann.id, other.id],
    ] as const) {
      await add(digest, { by, groupId });
    }
    const counts = async () => [await invitationCodes.count(group.id, NOW), await invitationCodes.count(other.id, NOW)];
    await invitationCodes.removeOfOwner(uuid());
    expect(await counts()).toEqual([2, 2]);
    await invitationCodes.removeOfOwner(group.id);
    expect(await counts()).toEqual([1, 2]);
    await invitationCodes.removeAllOf(bob.id);
    expect(await counts()).toEqual([0, 1]);
  });

  it('are not found while the user who invites is suspended', async () => {
    const { bob, add, find } = await prepare();
    await add('digest', { by: bob.id });
    await current().users.update(bob.id, { status: 'SUSPENDED' });
    expect(await find('digest')).toBeNull();
    await current().users.update(bob.id, { status: 'ACTIVE' });
    expect(await find('digest')).not.toBeNull();
  });

  it('remember the last removal of a member, as long as a code can live, or until the group or user is gone', async () => {
    const { ann, bob, cid, group } = await prepare();
    const { groups, invitationCodes, users } = current();
    const last = () => Promise.all([ann, bob, cid].map(({ id }) => invitationCodes.lastRemoval(group.id, id)));
    expect(await last()).toEqual([null, null, null]);
    for (const [{ id: userId }, removed] of [
      [bob, NOW],
      [cid, NOW + 1],
      [bob, NOW + 2],
    ] as const) {
      await invitationCodes.recordRemoval({ groupId: group.id, userId, removed });
    }
    expect(await last()).toEqual([null, NOW + 2, NOW + 1]);
    expect(await current().removeExpired(NOW + MAX_CODE_LIFETIME_MS, 10)).toBe(0);
    expect(await current().removeExpired(NOW + 1 + MAX_CODE_LIFETIME_MS, 10)).toBe(1);
    expect(await last()).toEqual([null, NOW + 2, null]);
    await invitationCodes.recordRemoval({ groupId: group.id, userId: cid.id, removed: NOW });
    await users.remove(bob.id);
    expect(await last()).toEqual([null, null, NOW]);
    await groups.remove(group.id);
    expect(await last()).toEqual([null, null, null]);
  });

  it('are absent for users whom the one who invites blocks', async () => {
    const { ann, cid, add, find } = await prepare();
    await add('digest');
    await current().blocks.add(ann.id, cid.id);
    expect(await find('digest', cid.id)).toBeNull();
    expect(await find('digest')).not.toBeNull();
    await current().blocks.remove(ann.id, cid.id);
    expect(await find('digest', cid.id)).not.toBeNull();
  });

  it.each([
    ['the group', ({ group }) => current().groups.remove(group.id)],
    ['the user who invites', ({ bob }) => current().users.remove(bob.id)],
  ] satisfies [string, (of: Awaited<ReturnType<typeof prepare>>) => Promise<unknown>][])(
    'go with %s',
    async (_, end) => {
      const world = await prepare();
      await world.add('digest', { by: world.bob.id });
      await end(world);
      expect(await world.find('digest')).toBeNull();
      expect(await current().invitationCodes.list(world.group.id, NOW, FIRST)).toEqual([]);
    },
  );

  it('are removed with the user who made them', async () => {
    const { bob, group, add } = await prepare();
    for (const digest of ['one', 'two']) await add(digest, { by: bob.id });
    await current().users.remove(bob.id);
    await finishRemovals(current(), 1);
    expect(await current().invitationCodes.count(group.id, NOW)).toBe(0);
  });
}
