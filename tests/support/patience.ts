import { SLOWNESS } from './slowness.ts';

/** Maximum wait for a condition, in milliseconds. */
export const PATIENCE_MS = 120_000 * SLOWNESS;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Creates a promise that the test resolves. */
export function createLatch(): { open(): void; readonly opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Polls until `read` returns something truthy, and returns that. */
export async function until<T>(read: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (Date.now() > deadline) throw new Error('the condition was not met in time');
    await pause(20);
  }
}
