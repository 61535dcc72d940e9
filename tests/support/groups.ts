import { expect } from 'vitest';
import type { World } from './backend.ts';
import { expectStatus, type Person } from './people.ts';

export type GroupRole = 'owner' | 'manager' | 'member';

/** Creates a group with this owner. Resolves to its id. */
export async function createGroup(world: World, owner: Pick<Person, 'token'>, name = 'Friends'): Promise<string> {
  const { data } = await expectStatus(world.call('POST', '/group', { token: owner.token, body: { name } }), 201);
  return data.id;
}

/** Gives a user a role in a group, on behalf of another user, and accepts for them. @throws Error on failure */
export async function enroll(
  world: World,
  { id, by, user, role = 'member' }: { id: string; by: Person; user: Person; role?: GroupRole },
): Promise<void> {
  const { status } = await world.call('PUT', `/group/${id}/member/${user.name}`, { token: by.token, body: { role } });
  if (status === 200) return;
  expect(status).toBe(202);
  await expectStatus(world.call('PUT', `/me/group-invitations/${id}`, { token: user.token }), 200);
}

/** Returns the members of a group with their roles, by name, as seen by the administrator. */
export async function rolesIn(world: World, id: string): Promise<Record<string, GroupRole>> {
  const { data } = await expectStatus(world.call('GET', `/group/${id}`, { token: await world.admin() }), 200);
  return Object.fromEntries(data.members.map(({ name, role }: { name: string; role: GroupRole }) => [name, role]));
}
