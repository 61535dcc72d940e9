/** What `work` resolves to; or what `late` does when it takes longer than this. Milliseconds. */
export async function within<T>(limit: number, work: Promise<T>, late: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), limit);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
