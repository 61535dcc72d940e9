import type { Cast } from './scenario.ts';

/** Keys with which servers call. */
export async function apiKeys({ asAdmin }: Cast): Promise<void> {
  const body = { name: 'Shop', role: 'registereduser', expires: '2030-01-31T09:12:03.512+0000' };
  const { data } = await asAdmin('POST', '/admin/key', { body });
  await asAdmin('GET', '/admin/key');
  await asAdmin('GET', `/admin/key/${data.id}`);
  await asAdmin('DELETE', `/admin/key/${data.id}`);
}
