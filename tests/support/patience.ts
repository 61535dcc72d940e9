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
