/** Timeout of a test, for tests that hang: none takes this long on any machine. Milliseconds. */
export const PATIENCE_MS = 120_000;

/** The options of every test in a suite. */
export const PATIENT = { timeout: PATIENCE_MS };
