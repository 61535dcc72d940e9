import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, itIsAccessible, settled, useConsole } from '../support/console-page.ts';
import { answering, type Receiver, startReceiver } from '../support/receiver.ts';

describe('webhooks in the console', () => {
  const current = useConsole(() => ({ webhookPrivate: true }));
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    await current().admin('POST', '/admin/collection/parcels');
    await current().admin('POST', '/admin/collection/letters');
  });
  afterAll(() => receiver.close());

  const list = async () => (await current().admin('GET', '/admin/webhook')).data;
  const idOf = () => /webhooks\/([^/?]+)/.exec(current().page.url())?.[1] ?? '';

  it('are created; the secret is shown once', async () => {
    const { page, hands, world } = current();
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await hands.told('No webhooks yet');
    await hands.button('New webhook').click();
    await hands.field('URL').fill('ftp://nowhere.example');
    expect(await hands.button('Create').isDisabled()).toBe(true);
    await hands.field('parcels').check();
    await hands.button('Create').click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await hands.field('URL').fill(receiver.url);
    await hands.field('Description').fill(CANARY);
    await world.caughtUp();
    await hands.button('Create').click();
    const secret = await hands.field('Secret').inputValue();
    expect(secret).toMatch(/^whsec_/);
    await hands.button('Done').click();
    await hands.heading(receiver.url);
    await page.reload();
    await hands.heading(receiver.url);
    await page.getByRole('navigation', { name: 'Webhooks' }).getByRole('link', { name: 'Settings' }).click();
    await hands.field('Description').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await list()).toMatchObject([
      { id: idOf(), url: receiver.url, collections: ['parcels'], types: ['put', 'gone'], enabled: true, where: null },
    ]);
  });

  it('are changed, with the reason of a refusal, switched off and on', async () => {
    const { page, hands } = current();
    await hands.field('Filter').fill('weight >');
    await hands.button('Save').click();
    await page.getByRole('alert').waitFor();
    await hands.field('Filter').fill('weight > 1');
    await hands.field('Deleted, or no longer match the filter').uncheck();
    await hands.button('Save').click();
    await hands.saved();
    expect(await list()).toMatchObject([{ where: 'weight > 1', types: ['put'] }]);
    await hands.more('Disable');
    await hands.told('Disabled');
    expect(await list()).toMatchObject([{ enabled: false, where: 'weight > 1' }]);
    await hands.more('Enable');
    await hands.told('Enabled');
    await hands.field('Filter').fill('');
    await hands.field('Deleted, or no longer match the filter').check();
    await hands.button('Save').click();
    await expect.poll(async () => (await list())[0].where).toBeNull();
  });

  it('are tried, and get a new secret', async () => {
    const { page, hands, inDialog } = current();
    receiver.behave(answering(202, {}, CANARY));
    await hands.button('Send test event').click();
    await hands.told('Test event: Delivered');
    expect(receiver.received.at(-1)?.body.type).toBe('test');
    await page.getByRole('region', { name: 'Test event: Delivered' }).getByText('Body').click();
    expect(await page.getByRole('region', { name: 'Test event: Delivered' }).locator('pre').innerText()).toBe(CANARY);
    await hands.more('Rotate secret');
    await inDialog('Rotate secret').click();
    expect(await hands.field('Secret').inputValue()).toMatch(/^whsec_/);
    await hands.button('Done').click();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('have deliveries by state, which can be sent again', async () => {
    const opened = current();
    const { page, hands, admin, backend, world } = opened;
    receiver.behave(answering(410, {}, CANARY)); // gives the delivery up at once, and switches the webhook off
    const { data: parcel } = await admin('POST', '/document/parcels', { title: 'A lamp' });
    await world.caughtUp();
    await backend.deliver();
    await hands.goTo(`webhooks/${idOf()}`);
    await page.getByRole('combobox', { name: 'State' }).selectOption('Failed');
    await hands.button('Refresh').click();
    await hands.button(`Retry: ${parcel.id}`).waitFor();
    await settled(opened);
    const [row = ''] = await hands.rows('Deliveries');
    expect(row).toContain('document.put');
    expect(row).toContain('410');
    expect(await page.locator('main img, main script').count()).toBe(0);
    receiver.behave(answering(204));
    await page.reload();
    await hands.told('Disabled');
    await hands.more('Enable');
    await hands.told('Enabled');
    await hands.button(`Retry: ${parcel.id}`).click();
    await hands.button(`Retry: ${parcel.id}`).waitFor({ state: 'detached' });
    await backend.deliver();
    await page.getByRole('combobox', { name: 'State' }).selectOption('Delivered');
    await hands.button('Refresh').click();
    await page
      .getByRole('region', { name: 'Deliveries', exact: true })
      .getByRole('link', { name: parcel.id })
      .first()
      .waitFor();
    expect(receiver.received.at(-1)?.body.data.document.title).toBe('A lamp');
  });

  itIsAccessible(current, async () => [
    ['webhooks', 'Webhooks', 'New webhook'],
    [`webhooks/${(await list())[0].id}`, receiver.url, '⋯ Rotate secret'],
    [`webhooks/${(await list())[0].id}/settings`, receiver.url],
  ]);

  it('are deleted', async () => {
    const { page, hands, inDialog } = current();
    await hands.goTo('webhooks');
    await page.getByRole('link', { name: receiver.url }).click();
    await hands.more('Delete webhook');
    await inDialog('Delete webhook').click();
    await hands.heading('Webhooks');
    await hands.told('No webhooks yet');
    expect(await list()).toEqual([]);
  });
});
