const SCHEME = 'extension:';

/** Returns the name of the extension's handler that receives the events of a webhook; null for other receivers. */
export const handlerOf = (url: string): string | null => (url.startsWith(SCHEME) ? url.slice(SCHEME.length) : null);
