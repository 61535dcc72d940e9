import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** Colors in the middle of a transition have a temporary contrast that no user would notice. */
const ENDED_TRANSITIONS = `Promise.all(
  document.getAnimations()
    .filter((animation) => animation instanceof CSSTransition)
    .map((transition) => transition.finished.catch(() => {})),
)`;

/** Returns the serious accessibility problems of the current page. */
export async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(ENDED_TRANSITIONS);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  // Without this, all passed checks are described as well.
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, html }) => `${target} ${html.slice(0, 120)}`).join(' | ')}`);
}

/** Returns the horizontal overflow of the page, in pixels. */
export const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
