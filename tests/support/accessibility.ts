import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** Colors and widths that every view is checked in. */
export const LOOKS = [
  ['light', 1440],
  ['dark', 1024],
  ['dark', 390],
] as const;

/** Colors in the middle of a transition have a temporary contrast that no user would notice. */
const ENDED_TRANSITIONS = `Promise.all(
  document.getAnimations()
    .filter((animation) => animation instanceof CSSTransition)
    .map((transition) => transition.finished.catch(() => {})),
)`;

/** Returns the controls that cannot be clicked, because something else is on top of them even after scrolling. */
function coveredControls(): string[] {
  // A library's page.
  if (document.querySelector('.swagger-ui') !== null) return [];
  const INSET = 8; // The rest of a long link may be cut off.
  const dialogs = [...document.querySelectorAll('[role=dialog], [role=alertdialog], dialog[open]')];
  const controls = (dialogs.at(-1) ?? document).querySelectorAll(
    'a[href], button, input:not([type=file]), select, textarea',
  );
  return [...controls].flatMap((control) => {
    if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
    control.scrollIntoView({ block: 'center', inline: 'nearest' });
    const { x, y, width, height } = control.getBoundingClientRect();
    const top = document.elementFromPoint(x + Math.min(width / 2, INSET), y + height / 2);
    const isFree = top === null || top.contains(control) || control.contains(top) || top.closest('.toasts') !== null;
    return isFree ? [] : [`covered: ${control.outerHTML.slice(0, 120)} by ${top.outerHTML.slice(0, 120)}`];
  });
}

/** Returns the serious accessibility problems of the current page. */
export async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(ENDED_TRANSITIONS);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  // Without this, all passed checks are described as well.
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  const found = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target, html }) => `${target} ${html.slice(0, 120)}`).join(' | ')}`);
  return [...found, ...(await page.evaluate(coveredControls))];
}

/** Returns the horizontal overflow of the page, in pixels. */
export const overflow = (page: Page) =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
