/** Against what hangs: nothing in a suite takes that long on any machine. Milliseconds. */
export const PATIENCE_MS = 120_000;

/** Of the tests of a suite. */
export const PATIENT = { timeout: PATIENCE_MS };
