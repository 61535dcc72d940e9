export {
  countedAddress,
  createGuesses,
  createRateLimiter,
  type Guesses,
  NO_LIMITS,
  NO_LOCKOUT,
  networkOf,
  type RateLimiter,
} from './limits.ts';
