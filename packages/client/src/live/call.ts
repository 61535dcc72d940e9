/** Calls a listener of the app. An error in it neither stops the query nor affects other listeners. */
export function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
