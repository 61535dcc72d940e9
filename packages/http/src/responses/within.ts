/** Returns the result of `work`, or of `late` if `work` takes longer than `limit` milliseconds. */
export async function within<T>(limit: number, work: Promise<T>, late: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), limit);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
