export { createGuesses, type Guesses, NO_LOCKOUT } from './guesses.ts';
export { countedAddress, networkOf } from './networks.ts';
export { createRateLimiter, NO_LIMITS, type RateLimiter } from './rate-limits.ts';
