import { API_VERSION } from '@baobab/http';
import { Command } from 'commander';
import type { Environment } from '../config.ts';
import { addCollection } from './commands/collection.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addCopies } from './commands/copies.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDocument } from './commands/document.ts';
import { addMigrate } from './commands/migrate.ts';
import { addServe } from './commands/serve.ts';
import { addSettings } from './commands/settings.ts';
import { createDepsOf } from './commands/shared.ts';
import { addUser } from './commands/user.ts';

const NOTES = `
The environment names the database and the blob store, as for the service:
DATABASE_URL, BLOB_URL, DATA_DIR and so on (docs/configuration.md).

Examples:
  $ baobab
  $ baobab backup --to /backups/monday.tar
  $ DATABASE_URL=postgres://localhost/app baobab restore --from /backups/monday.tar
  $ baobab transfer --from sqlite:data/baobab.db --to postgres://localhost/app
  $ echo "$PASSWORD" | baobab user create ann --role editors

Exit codes: 0 done, 1 failed, 2 wrong arguments.`;

/** The commands, without running any. */
export function createProgram(env: Environment): Command {
  const depsOf = createDepsOf(env);
  const program = new Command('baobab')
    .description('A self-hosted backend for mobile and web apps')
    .version(API_VERSION)
    .option('--json', 'print the result as one JSON object', false)
    .addHelpText('after', NOTES)
    .exitOverride();
  addServe(program);
  addMigrate(program, depsOf);
  addUser(program, depsOf);
  addCollection(program, depsOf);
  addDocument(program, depsOf);
  addSettings(program, depsOf);
  addCopies(program, depsOf);
  addConfig(program, depsOf);
  addDoctor(program, depsOf);
  addCompletion(program);
  return program;
}
