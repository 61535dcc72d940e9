import type { Extension } from './types.ts';

/** An extension with the name that the log shows. */
export interface NamedExtension {
  readonly name: string;
  /** File of its module; in tests, its name. */
  readonly path: string;
  readonly extension: Extension;
}

/** A fault of an extension that prevents the start. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';

  /** @param place file, and line if known: `/app/tasks.ts:12` */
  constructor(place: string, problem: string, cause: unknown) {
    super(`EXTENSIONS: ${place}: ${problem}`, { cause });
  }
}
