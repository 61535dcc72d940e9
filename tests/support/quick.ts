/** `npm test -- quick`: the suites of core and contracts in memory, without servers. Set by `scripts/run.mjs`. */
export const QUICK = process.env.TEST_QUICK === 'on';
