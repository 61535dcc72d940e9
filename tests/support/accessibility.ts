import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** Serious problems of accessibility on the page as it is now. */
export async function seriousProblems(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  // Without this, it describes everything that is right as well.
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, html }) => `${target} ${html.slice(0, 120)}`).join(' | ')}`);
}

/** By how many pixels the page is wider than the window. */
export const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
