import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** In the middle of a transition, colors have a contrast that nobody is left with. */
const ENDED_TRANSITIONS = `Promise.all(
  document.getAnimations()
    .filter((animation) => animation instanceof CSSTransition)
    .map((transition) => transition.finished.catch(() => {})),
)`;

/** Serious problems of accessibility on the page as it is now. */
export async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(ENDED_TRANSITIONS);
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
