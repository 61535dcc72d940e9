import type { Locator, Page } from 'playwright-core';

/** A row of a list, as displayed or as stored. */
export interface ShownItem {
  readonly title: string;
  readonly done: boolean;
  readonly photo: boolean;
}

/** Creates helpers that use the example like a user, by visible texts. */
export function createShopper(page: Page, base: string) {
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const field = (label: string): Locator => page.getByLabel(label, { exact: true });
  const row = (title: string): Locator =>
    page.locator('.items li').filter({ has: page.getByRole('checkbox', { name: title, exact: true }) });

  async function add(label: string, text: string, press: string): Promise<void> {
    await field(label).fill(text);
    await button(press).click();
  }

  return {
    page,
    button,
    field,
    row,
    async signUp(username: string): Promise<void> {
      await page.goto(`${base}/index.html`);
      await field('User name').fill(username);
      await field('Password').fill('a password');
      await button('Sign up').click();
      await page.getByRole('heading', { name: 'Your lists' }).waitFor();
    },
    async logIn(username: string): Promise<void> {
      await field('User name').fill(username);
      await field('Password').fill('a password');
      await button('Log in').click();
    },
    goTo: (place: string) => page.goto(`${base}/index.html#${place}`),
    async openList(title: string): Promise<void> {
      await page.getByRole('link', { name: title, exact: true }).click();
      // Until then the page shows the previous list, whose form has the same fields.
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
    },
    addList: (title: string) => add('New list', title, 'Add list'),
    addItem: (title: string) => add('New item', title, 'Add item'),
    check: (title: string) => row(title).getByRole('checkbox').click(),
    remove: (title: string) => button(`Remove ${title}`).click(),
    photoOf: (title: string) => row(title).getByRole('img'),
    /** Waits for a displayed text. */
    told: (text: string) => page.getByText(text).first().waitFor(),
    /** Returns the rows of the open list. */
    shown: (): Promise<ShownItem[]> =>
      page.locator('.items li').evaluateAll((rows) =>
        rows.map((one) => ({
          title: one.querySelector('span')?.textContent ?? '',
          done: one.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked === true,
          photo: one.querySelector('img') !== null,
        })),
      ),
  };
}

export type Shopper = ReturnType<typeof createShopper>;
