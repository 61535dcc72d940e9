/** Wrong arguments, found after they were parsed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
