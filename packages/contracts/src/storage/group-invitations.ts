import type { InvitedRole, RowPage, Storage } from '@baobab/core';
import { expect, it } from 'vitest';
import { addUser, NOW, uuid } from './fixtures.ts';
import { finishRemovals } from './maintenance.ts';

const FIRST: RowPage = { after: null, skip: 0, limit: 100 };

/** Tests group invitations and the users' policies on being added. */
export function groupInvitationsContract(current: () => Storage): void {
  /** Creates a group of Ann's, and users who are not members. */
  async function prepare() {
    const [ann, bob, cid] = [
      await addUser(current(), 'Ann'),
      await addUser(current(), 'Bob'),
      await addUser(current(), 'Cid'),
    ];
    const group = { id: uuid(), name: 'Friends', created: NOW };
    await current().groups.add(group, ann.id);
    const invite = (userId: string, role: InvitedRole = 'member', by = ann.id, groupId = group.id) =>
      current().groupInvitations.set({ groupId, userId, role, by });
    return { ann, bob, cid, group, invite };
  }

  it('are seen by the invited user and in the group, and replace earlier ones', async () => {
    const { ann, bob, cid, group, invite } = await prepare();
    const { groupInvitations } = current();
    await invite(bob.id);
    await invite(cid.id);
    await invite(bob.id, 'manager');
    expect(await groupInvitations.received(bob.id, FIRST)).toEqual([{ group, role: 'manager', by: 'Ann' }]);
    expect(await groupInvitations.received(ann.id, FIRST)).toEqual([]);
    expect(await groupInvitations.sent(group.id, FIRST)).toEqual([
      { userId: bob.id, name: 'Bob', role: 'manager', by: 'Ann' },
      { userId: cid.id, name: 'Cid', role: 'member', by: 'Ann' },
    ]);
    expect(await groupInvitations.sent(group.id, { after: bob.id, skip: 0, limit: 1 })).toHaveLength(1);
    expect(await groupInvitations.sent(group.id, { after: null, skip: 1, limit: 1 })).toMatchObject([{ name: 'Cid' }]);
    expect(await groupInvitations.count(group.id)).toBe(2);
    expect(await groupInvitations.open(group.id, bob.id)).toBe('manager');
    expect(await groupInvitations.open(uuid(), bob.id)).toBeNull();
    expect(await groupInvitations.remove(group.id, bob.id)).toBe(true);
    expect(await groupInvitations.remove(group.id, bob.id)).toBe(false);
    expect(await groupInvitations.open(group.id, bob.id)).toBeNull();
    expect(await groupInvitations.count(group.id)).toBe(1);
  });

  it('are received by pages, in the order of the groups', async () => {
    const { ann, bob, group, invite } = await prepare();
    const other = { id: uuid(), name: 'Others', created: NOW + 1 };
    await current().groups.add(other, ann.id);
    await invite(bob.id, 'member', ann.id, other.id);
    await invite(bob.id);
    const received = async (page: Partial<RowPage>) =>
      (await current().groupInvitations.received(bob.id, { ...FIRST, ...page })).map(({ group: { name } }) => name);
    expect(await received({})).toEqual(['Friends', 'Others']);
    expect(await received({ after: group.id })).toEqual(['Others']);
    expect(await received({ limit: 1 })).toEqual(['Friends']);
    expect(await received({ skip: 1 })).toEqual(['Others']);
  });

  it('are hidden from a user who blocks the one who invites, and not in the group', async () => {
    const { ann, bob, group, invite } = await prepare();
    await invite(bob.id);
    await current().blocks.add(bob.id, ann.id);
    expect(await current().groupInvitations.received(bob.id, FIRST)).toEqual([]);
    expect(await current().groupInvitations.open(group.id, bob.id)).toBeNull();
    expect(await current().groupInvitations.sent(group.id, FIRST)).toHaveLength(1);
    await current().blocks.remove(bob.id, ann.id);
    expect(await current().groupInvitations.open(group.id, bob.id)).toBe('member');
  });

  it.each([
    ['the group', ({ group }) => current().groups.remove(group.id)],
    ['the invited user', ({ bob }) => current().users.remove(bob.id)],
    ['the user who invites', ({ cid }) => current().users.remove(cid.id)],
  ] satisfies [string, (of: Awaited<ReturnType<typeof prepare>>) => Promise<unknown>][])(
    'end with %s',
    async (_, end) => {
      const world = await prepare();
      const { bob, cid, group, invite } = world;
      await current().groups.setRole(group.id, cid.id, 'manager', { joined: NOW, counted: true });
      await invite(bob.id, 'member', cid.id);
      await end(world);
      expect(await current().groupInvitations.received(bob.id, FIRST)).toEqual([]);
      expect(await current().groupInvitations.sent(group.id, FIRST)).toEqual([]);
      expect(await current().groupInvitations.open(group.id, bob.id)).toBeNull();
    },
  );

  it('are removed with the user who sent them', async () => {
    const { ann, bob, cid, group, invite } = await prepare();
    await current().groups.setRole(group.id, cid.id, 'manager', { joined: NOW, counted: true });
    for (const userId of [ann.id, bob.id]) await invite(userId, 'member', cid.id);
    await current().users.remove(cid.id);
    await finishRemovals(current(), 1);
    expect(await current().groupInvitations.count(group.id)).toBe(0);
  });

  it('have a policy for each user, until it is reset', async () => {
    const { bob, cid } = await prepare();
    const { groupInvitations } = current();
    expect(await groupInvitations.policy(bob.id)).toBeNull();
    await groupInvitations.setPolicy(bob.id, 'nobody');
    await groupInvitations.setPolicy(uuid(), 'anyone');
    expect(await groupInvitations.policy(bob.id)).toBe('nobody');
    expect(await groupInvitations.policy(cid.id)).toBeNull();
    expect(await groupInvitations.policy(uuid())).toBeNull();
    await groupInvitations.setPolicy(bob.id, null);
    expect(await groupInvitations.policy(bob.id)).toBeNull();
  });
}
