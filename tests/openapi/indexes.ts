import type { Cast } from './scenario.ts';

/** Indexes of users, files and assets. */
export async function indexesOfLists({ asAdmin }: Cast): Promise<void> {
  await asAdmin('PUT', '/admin/index/users/visibleByRegisteredUsers.city', { body: {} });
  await asAdmin('PUT', '/admin/index/users/visibleByRegisteredUsers.city');
  await asAdmin('GET', '/admin/index/users');
  await asAdmin('GET', '/admin/index/users/visibleByRegisteredUsers.city');
  await asAdmin('DELETE', '/admin/index/users/visibleByRegisteredUsers.city');
}
