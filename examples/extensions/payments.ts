import { createHmac, timingSafeEqual } from 'node:crypto';
import { defineExtension, refuse } from '@baobab/server/extensions';

interface App {
  collections: { payments: { event: string; customer: string; amount: number } };
}

interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: { readonly customer: string; readonly amount: number } };
}

/** Age up to which a message is accepted, in seconds. */
const MAX_AGE_S = 300;

/** Checks a header such as `t=1700000000,v1=5257a8…`, as Stripe sends it. */
function isSigned(text: string, header: string, secret: string): boolean {
  const parts = new URLSearchParams(header.replaceAll(',', '&'));
  const [time, signature] = [parts.get('t') ?? '', parts.get('v1') ?? ''];
  if (Math.abs(Date.now() / 1_000 - Number(time)) > MAX_AGE_S) return false;
  const expected = createHmac('sha256', secret).update(`${time}.${text}`).digest();
  const sent = Buffer.from(signature, 'hex');
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}

/** Creates an extension that stores the payments of which another service notifies it. */
export const payments = (secret: string) =>
  defineExtension<App>((app) => {
    app.route('POST', '/ext/payments', { access: 'open' }, async ({ text, headers, data }) => {
      const signature = String(headers['stripe-signature'] ?? '');
      if (secret === '' || text === null || !isSigned(text, signature, secret)) {
        throw refuse('The signature is wrong', { code: 'payment.signature', status: 401 });
      }
      const event = JSON.parse(text) as PaymentEvent;
      if (event.type !== 'payment_intent.succeeded') return;
      const { customer, amount } = event.data.object;
      // The service repeats messages; the key stores each payment once.
      const payment = { event: event.id, customer, amount };
      const all = data.asAdministrator().collection('payments');
      await all.create(payment, { idempotencyKey: event.id });
    });
  });

export default payments(process.env.PAYMENTS_SECRET ?? '');
