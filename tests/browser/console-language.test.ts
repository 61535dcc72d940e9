import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overflow, seriousProblems } from '../support/accessibility.ts';
import { createHands, type Hands, type StartedConsole, startConsole } from '../support/console.ts';

let started: StartedConsole;
let page: Page;
let hands: Hands;

beforeAll(async () => {
  started = await startConsole();
  await started.admin('POST', '/admin/collection/notes');
  for (let n = 1; n <= 51; n++) await started.admin('POST', '/document/notes', { title: `Notiz ${n}` });
  page = await started.open({ locale: 'de-AT' });
  hands = createHands(page, started.base);
});
afterAll(() => started?.close());
afterEach(() => expect(started.problems()).toEqual([]));

const language = () => page.evaluate(() => document.documentElement.lang);
/** The scripts with texts that the page has loaded. */
const catalogues = () =>
  page.evaluate(async () => {
    const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
    const texts = await Promise.all(scripts.map(async ({ name }) => (await fetch(name)).text()));
    const has = (text: string) => texts.some((script) => script.includes(text));
    return { english: has('Sign in to the console'), german: has('An der Konsole anmelden') };
  });

describe('the console in a browser that prefers German', () => {
  it('is in German, and loads no English texts', async () => {
    await hands.heading('An der Konsole anmelden');
    expect(await language()).toBe('de');
    expect(await catalogues()).toEqual({ english: false, german: true });
    await hands.field('Benutzername').fill('admin');
    await hands.field('Passwort').fill(started.backend.adminPassword);
    await hands.button('Anmelden').click();
    await hands.heading('Übersicht');
  });

  it('leads through its views in German, with numbers and dates as they are written there', async () => {
    await page.getByRole('link', { name: 'Sammlungen' }).click();
    await hands.heading('Sammlungen');
    await page.getByRole('link', { name: 'notes', exact: true }).click();
    await hands.button('Nächste Seite').click();
    await hands.told('Seite 2');
    await page
      .getByRole('link', { name: /^[\da-f]{8}-/ })
      .first()
      .click();
    await hands.told('Version 1,');
    await hands.field('Inhalt (JSON)').fill('{"title":"geändert"}');
    await hands.button('Speichern').click();
    await hands.told('Gespeichert');
    const year = new Date().getUTCFullYear();
    await page.getByText(new RegExp(`Version 2, \\d+\\. \\S+ ${year}, \\d\\d:\\d\\d:\\d\\d UTC`)).waitFor();
    await page.getByRole('link', { name: 'Einstellungen' }).click();
    await hands.heading('Einstellungen');
    await hands.told('Änderungen gelten sofort auf jedem Knoten.');
  });

  it('is accessible, also where words are longer', async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    for (const [place, title] of [
      ['users', 'Benutzer'],
      ['users/admin', 'admin'],
      ['collections/notes/configuration', 'Regeln, Schema und Indexe'],
    ] as const) {
      await hands.goTo(place);
      await hands.heading(title);
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      expect([place, await seriousProblems(page), await overflow(page)]).toEqual([place, [], 0]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('becomes English when its user says so, and stays so', async () => {
    await page.getByLabel('Sprache').selectOption('en');
    await hands.button('Sign out').waitFor();
    expect(await language()).toBe('en');
    await page.reload();
    await hands.button('Sign out').waitFor();
    await page.getByLabel('Language').selectOption('de');
    await hands.button('Abmelden').waitFor();
  });
});
