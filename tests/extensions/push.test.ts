import { afterEach, expect, it } from 'vitest';
import { type ExtendedBackend, extended } from '../support/extensions.ts';

let on: ExtendedBackend;
afterEach(() => on.close());

it('sends notifications of an extension once, also if its call is repeated', async () => {
  on = await extended((app) => {
    app.route('POST', '/ext/ship/:username/:order', { access: 'open' }, async ({ params }) => {
      const options = { idempotencyKey: `order-${params.order}` };
      return (await app.push.send(String(params.username), { message: 'Shipped', badge: 2 }, options)).devices.length;
    });
  });
  await on.admin.admin.settings.set('Push', 'push.android.project', 'my-app');
  await on.admin.admin.settings.set('Push', 'push.android.service_account', '{"client_email":"a"}');
  for (const name of ['ann', 'bob']) {
    const { client } = await on.user(name);
    await client.push.enable({ os: 'android', deviceId: `phone-of-${name}` });
  }

  for (let call = 0; call < 2; call++)
    expect(await on.call('POST', '/ext/ship/ann/7')).toMatchObject({ status: 200, body: { data: 1 } });
  expect(await on.call('POST', '/ext/ship/nobody/8')).toMatchObject({ status: 404, body: { code: 'user.not_found' } });
  await on.backend.deliver();
  expect(on.backend.pushed).toMatchObject([{ device: 'phone-of-ann', message: 'Shipped', badge: 2 }]);
});
