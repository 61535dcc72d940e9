import { afterEach } from 'vitest';
import { createDatabase, createFolder } from './databases.ts';
import { fastPlace } from './fast-place.ts';
import { type Program, type ProgramOptions, startProgram } from './program.ts';

export type Environment = Readonly<Record<string, string>>;

/** What a program needs in its environment, besides a folder or a database. */
export const SETTINGS = {
  APP_CODE: 'code',
  ADMIN_PASSWORD: 'admin password',
  SECRET_KEY: 'k'.repeat(32),
  RATE_LIMIT: 'off',
} as const;

/** Folders, databases and programs of the tests of one file. Each test's are closed after it, the last one first. */
export interface SetUp {
  /** Whatever else is to be done after the test. */
  readonly cleanups: Array<() => unknown>;
  folder(): string;
  /** The URL of a Postgres database: migrated, or empty. */
  database(options?: { readonly empty: boolean }): Promise<string>;
  /** A program with `SETTINGS` and a folder of its own, where `environment` says nothing else. */
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
