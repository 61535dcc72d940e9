/** Test timeout, only for tests that hang: no test takes this long on any machine. Milliseconds. */
export const PATIENCE_MS = 900_000;

/** Options of every test in a suite. */
export const PATIENT = { timeout: PATIENCE_MS };
