import type { Cast } from './scenario.ts';

export async function webhooks({ asAdmin }: Cast): Promise<void> {
  await asAdmin('POST', '/admin/collection/orders');
  const webhook = { url: 'https://example.org/hook', collections: ['orders'], types: ['put'], where: 'paid = true' };
  const { data } = await asAdmin('POST', '/admin/webhook', { body: { ...webhook, description: 'Invoices' } });
  await asAdmin('POST', '/admin/webhook', { body: { ...webhook, url: 'http://127.0.0.1/' } });
  const url = `/admin/webhook/${data.id}`;
  await asAdmin('GET', '/admin/webhook');
  await asAdmin('GET', url);
  await asAdmin('GET', '/admin/access');
  await asAdmin('PUT', url, { body: { types: ['put', 'gone'] } });
  const sent = await asAdmin('POST', `${url}/test`);
  await asAdmin('GET', `${url}/deliveries`);
  await asAdmin('POST', `${url}/deliveries/${sent.data.id}/replay`);
  await asAdmin('POST', `${url}/secret`, { body: { current_password: 'change-me' } });
  await asAdmin('DELETE', url);
}
