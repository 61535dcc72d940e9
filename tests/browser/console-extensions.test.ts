import { defineExtension } from '@baobab/server/extensions';
import { describe, expect, it } from 'vitest';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { itIsAccessible, settled, useConsole } from '../support/console-page.ts';
import { until } from '../support/patience.ts';

const HOUR = 60 * MINUTE;

describe('extensions in the console', () => {
  const clock = createHandDrivenClock();
  const handled: unknown[] = [];
  let fails = true;
  const extension = defineExtension((app) => {
    app.settings({
      greeting: { default: 'Hello', description: 'Text of the greeting', isProtected: false },
      discount: { default: 5, description: 'Discount in percent', isProtected: false, min: 0, max: 50 },
    });
    app.after('document.put', 'ship', { collection: 'parcels' }, ({ document }) => {
      if (fails) throw new Error('the carrier is closed');
      handled.push(document.to);
    });
  });
  const current = useConsole(() => ({ clock, extensions: [extension] }));

  it('show a failed event of a handler with its error, and replay it', async () => {
    const { page, hands, admin, backend, world } = current();
    // The session has to outlast the days until an event has failed.
    await admin('PUT', '/admin/configuration/Application/session_tokens.timeout/0');
    await admin('POST', '/admin/collection/parcels');
    const { data: parcel } = await admin('POST', '/document/parcels', { to: 'Ann' });
    await world.caughtUp();
    const idOf = async () => (await admin('GET', '/admin/webhook')).data[0].id;
    const deliveries = async () => (await admin('GET', `/admin/webhook/${await idOf()}/deliveries`)).data;
    await until(async () => {
      await backend.deliver();
      return (await deliveries())[0]?.attempts > 0;
    });
    clock.advance(4 * 24 * HOUR);
    await backend.deliver();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: 'ship', exact: true }).click();
    await hands.heading('ship');
    await hands.told('the carrier is closed');
    await page.getByRole('button', { name: 'More actions' }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Disable']);
    await page.keyboard.press('Escape');
    fails = false;
    await hands.button(`Retry: ${parcel.id}`).click();
    await until(async () => {
      await backend.deliver();
      return handled.length > 0;
    });
    expect(handled).toEqual(['Ann']);
  });

  it('have their settings on a page', async () => {
    const { page, hands, admin } = current();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Extensions', exact: true }).click();
    await page.getByRole('heading', { name: 'extension-1' }).waitFor();
    await hands.field('discount').fill('20');
    await hands.button('Save').click();
    await hands.saved();
    const { data } = await admin('GET', '/admin/configuration/Extensions');
    expect(data[1]).toMatchObject({ key: 'extension.extension-1.discount', value: '20' });
    await settled(current());
  });

  itIsAccessible(current, async () => [
    ['settings/extensions', 'Extensions'],
    [`webhooks/${(await current().admin('GET', '/admin/webhook')).data[0].id}`, 'ship'],
  ]);
});
