import { afterEach } from 'vitest';
import { createDatabase, createFolder } from './databases.ts';
import { fastPlace } from './fast-place.ts';
import { type Program, type ProgramOptions, startProgram } from './program.ts';

export type Environment = Readonly<Record<string, string>>;

/** Environment variables that a program requires, besides a folder or a database. */
export const SETTINGS = {
  APP_CODE: 'code',
  ADMIN_PASSWORD: 'admin password',
  SECRET_KEY: 'k'.repeat(32),
  RATE_LIMIT: 'off',
} as const;

/** Folders, databases and programs of the tests in one file. After each test they are closed in reverse order. */
export interface SetUp {
  /** Additional cleanup after the test. */
  readonly cleanups: Array<() => unknown>;
  folder(): string;
  /** Creates a Postgres database, migrated or empty. Resolves to its URL. */
  database(options?: { readonly empty: boolean }): Promise<string>;
  /** Starts a program with `SETTINGS` and a separate folder, unless `environment` overrides them. */
  start(environment: Environment, options?: ProgramOptions): Program;
}

/** Call it once, at the top of a test file. */
export function createSetUp(): SetUp {
  const cleanups: Array<() => unknown> = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  function folder(): string {
    const { path, remove } = createFolder(fastPlace());
    cleanups.push(remove);
    return path;
  }

  return {
    cleanups,
    folder,
    async database(options) {
      const { url, drop } = await createDatabase(options);
      cleanups.push(drop);
      return url;
    },
    start(environment, options) {
      const program = startProgram(
        { ...SETTINGS, DATA_DIR: environment.DATA_DIR ?? folder(), ...environment },
        options,
      );
      cleanups.push(() => program.dispose());
      return program;
    },
  };
}
