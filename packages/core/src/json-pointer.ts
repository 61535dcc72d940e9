import { BEHIND_LAST, type JsonStep } from './json-steps.ts';

/** Returns the JSON Pointer to a place in the content. */
export const contentPointer = (steps: readonly JsonStep[]) =>
  steps
    .map((step) => (step === BEHIND_LAST ? '-' : String(step).replaceAll('~', '~0').replaceAll('/', '~1')))
    .map((token) => `/${token}`)
    .join('');
