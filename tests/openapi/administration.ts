import type { Cast } from './scenario.ts';

export async function administration({ call, asAdmin }: Cast): Promise<void> {
  await asAdmin('POST', '/admin/role/editor', { body: { description: 'May change what others wrote' } });
  await asAdmin('GET', '/admin/role');
  await asAdmin('GET', '/admin/roles');
  await asAdmin('GET', '/admin/role/editor');
  await asAdmin('PUT', '/admin/role/editor', { body: { description: 'Edits' } });
  await asAdmin('POST', '/admin/user', { body: { username: 'cleo', password: 'secret', role: 'editor' } });
  await asAdmin('GET', '/admin/user?recordsPerPage=2');
  await call('POST', '/login', { body: { username: 'cleo', password: 'secret' } });
  const sessions = await asAdmin('GET', '/admin/user/cleo/sessions');
  await asAdmin('DELETE', `/admin/user/cleo/sessions/${sessions.data[0].id}`);
  await asAdmin('DELETE', '/admin/user/cleo/sessions');
  await asAdmin('GET', '/admin/statistics');
  await asAdmin('GET', '/admin/checks?check=mail');
  await asAdmin('GET', '/admin/traffic');
  await asAdmin('GET', '/admin/requests?status=5xx&limit=2');
  await asAdmin('GET', '/admin/backup');
  await asAdmin('GET', '/admin/audit?act=user.created');
  await asAdmin('GET', '/admin/user/cleo/belongings');
  await asAdmin('GET', '/admin/configuration/environment');
  await asAdmin('GET', '/admin/user/cleo');
  await asAdmin('PUT', '/admin/user/cleo', { body: { role: 'registereduser' } });
  await asAdmin('PUT', '/admin/user/cleo/password', { body: { password: 'another' } });
  await asAdmin('PUT', '/admin/user/suspend/cleo', { body: { current_password: 'change-me' } });
  await asAdmin('PUT', '/admin/user/activate/cleo', { body: { current_password: 'change-me' } });
  for (const name of ['Fw', 'follow']) {
    await asAdmin('POST', `/admin/${name}/cleo/to/ann`, { body: { current_password: 'change-me' } });
    await asAdmin('DELETE', `/admin/${name}/cleo/to/ann`);
  }
  const erased = await call('POST', '/login', { body: { username: 'cleo', password: 'another' } });
  await call('DELETE', '/me', { token: erased.data['X-BB-SESSION'], body: { current_password: 'another' } });
  await call('POST', '/login', { body: { username: 'cleo', password: 'another' } });
  await call('POST', '/me/erase/cancel', { body: { username: 'cleo', password: 'another' } });
  const cleo = await call('POST', '/login', { body: { username: 'cleo', password: 'another' } });
  await call('PUT', '/me/suspend', { token: cleo.data['X-BB-SESSION'], body: { current_password: 'another' } });
  await asAdmin('DELETE', '/admin/user/cleo', { body: { current_password: 'change-me' } });
  await asAdmin('DELETE', '/admin/role/editor');
  await asAdmin('GET', '/admin/configuration/dump.json');
  await asAdmin('GET', '/admin/configuration/Images');
  await asAdmin('PUT', '/admin/configuration/Application/application.name', { body: { value: 'My app' } });
  await asAdmin('PUT', '/admin/configuration/Images/image.allows.automatic.resize/true', {
    body: { current_password: 'change-me' },
  });
  await asAdmin('PUT', '/admin/configuration/Application/registration.open/false');
  await call('POST', '/user', { body: { username: 'dora', password: 'secret' } });
  await asAdmin('PUT', '/admin/configuration/Application/registration.open/true');
}
