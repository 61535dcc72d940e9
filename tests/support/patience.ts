/** What is waited for comes within this time on any machine, or never. Milliseconds. */
export const PATIENCE_MS = 90_000;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Something that some wait for until another says so. */
export function createLatch(): { open(): void; readonly opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Looks again and again until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('it did not come to that in time');
    await pause(20);
  }
}

/**
 * That whoever looks later than `ms` from now finds it so. Looks all the time until then; it is no matter how long an
 * answer takes, only when it was asked for.
 */
export async function expectWithin(ms: number, isSo: () => Promise<boolean>): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const asked = performance.now() - begun;
    if (await isSo()) return;
    if (asked > ms) throw new Error(`it was not so to who asked after ${Math.round(asked)} ms`);
    await pause(10);
  }
}
