import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { payments } from './payments.ts';
import { start } from './start.ts';

const SECRET = 'a secret of the test';

test('stores signed payments once, and nothing else', async () => {
  const { admin, url, close } = await start(payments(SECRET), ['payments']);
  const object = { customer: 'ann', amount: 500 };
  const text = JSON.stringify({ id: 'evt_1', type: 'payment_intent.succeeded', data: { object } });
  async function send(secret: string, time = Math.floor(Date.now() / 1_000)): Promise<number> {
    const signature = createHmac('sha256', secret).update(`${time}.${text}`).digest('hex');
    const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': `t=${time},v1=${signature}` };
    return (await fetch(`${url}/ext/payments`, { method: 'POST', headers, body: text })).status;
  }
  const statuses = [await send(SECRET), await send(SECRET), await send('another secret'), await send(SECRET, 1)];
  assert.deepEqual(statuses, [200, 200, 401, 401]);
  const stored = await admin.collection('payments').query().list();
  assert.deepEqual(
    stored.map(({ amount }) => amount),
    [500],
  );
  await close();
});
