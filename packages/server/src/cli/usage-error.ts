/** Invalid arguments, detected after parsing. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
