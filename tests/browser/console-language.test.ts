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
    return { english: has('Sign in to the console'), german: has('Bei der Konsole anmelden') };
  });

describe('the console in a browser that prefers German', () => {
  it('is in German, and loads no English texts', async () => {
    await hands.heading('Bei der Konsole anmelden');
    expect(await language()).toBe('de');
    expect(await catalogues()).toEqual({ english: false, german: true });
    await hands.field('Benutzername').fill('admin');
    await hands.field('Passwort').fill('wrong');
    await hands.button('Anmelden').click();
    await page.getByText('Benutzername oder Passwort ist falsch').waitFor();
    await hands.field('Passwort').fill(started.backend.adminPassword);
    await hands.button('Anmelden').click();
    await hands.heading('Übersicht');
  });

  it('leads through its views in German, with numbers and dates as they are written there', async () => {
    await page.getByRole('link', { name: 'Sammlungen' }).click();
    await hands.heading('Sammlungen');
    await page.locator('main').getByRole('link', { name: 'notes', exact: true }).click();
    await hands.button('Nächste Seite').click();
    await hands.told('51–51 von 51');
    await page
      .getByRole('link', { name: /^Notiz/ })
      .first()
      .click();
    await hands.fillJson('Inhalt (JSON)', '{"title":"geändert"}');
    await hands.button('Speichern').click();
    await hands.told('Gespeichert');
    const year = new Date().getUTCFullYear();
    await page.getByText(new RegExp(`^2, \\d+\\. \\S+ ${year}, \\d\\d:\\d\\d:\\d\\d UTC`)).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Einstellungen' }).click();
    await hands.heading('Allgemein');
    await hands.told('Änderungen gelten sofort auf jedem Knoten.');
  });

  it('is accessible, also where words are longer', async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    for (const [place, title] of [
      ['users', 'Benutzer'],
      ['users/admin', 'admin'],
      ['collections/notes/rules', 'notes'],
      ['settings/email', 'E-Mail'],
    ] as const) {
      await hands.goTo(place);
      await hands.heading(title);
      await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
      expect([place, await seriousProblems(page), await overflow(page)]).toEqual([place, [], 0]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('becomes English when its user says so, and stays so', async () => {
    await hands.button('Konto: admin').click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await hands.button('Account: admin').waitFor();
    expect(await language()).toBe('en');
    await page.reload();
    await hands.button('Account: admin').click();
    await page.getByRole('menuitem', { name: 'Deutsch' }).click();
    await hands.button('Konto: admin').waitFor();
  });
});
