/** One step into a JSON value: the name of a property, or the index of an element. */
export type JsonStep = string | number;

/** As the last step: the place after the last element, whatever the length. */
export const BEHIND_LAST = -1;

/** Returns steps as they are in messages: `.author.roles[3]`. */
export const shown = (steps: readonly JsonStep[]) =>
  steps.map((step) => (typeof step === 'string' ? `.${step}` : `[${step === BEHIND_LAST ? '' : step}]`)).join('');
