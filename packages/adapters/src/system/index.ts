export { createSystemClock } from './clock.ts';
export { createNodeSecrets } from './secrets.ts';
export { createSystemTimers } from './timers.ts';
