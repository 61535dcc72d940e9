import { API_VERSION } from '@baobab/http/format';
import { Command } from 'commander';
import type { EnvironmentReport } from '../environment.ts';
import { completeEnvironment } from '../environment.ts';
import { addAudit } from './commands/audit.ts';
import { addCitus } from './commands/citus.ts';
import { addCollection } from './commands/collection.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addCopies } from './commands/copies.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDocument } from './commands/document.ts';
import { addExtension } from './commands/extension.ts';
import { addGroup } from './commands/group.ts';
import { addIndex } from './commands/indexes.ts';
import { addKey } from './commands/key.ts';
import { addMigrate } from './commands/migrate.ts';
import { addSecrets } from './commands/secrets.ts';
import { addServe } from './commands/serve.ts';
import { addSettings } from './commands/settings.ts';
import { createDepsOf } from './commands/shared.ts';
import { addTypes } from './commands/types.ts';
import { addUser } from './commands/user.ts';
import type { Host } from './host.ts';

const NOTES = `
Environment variables select the database and the blob store, as for the server:
DATABASE_URL, BLOB_URL, DATA_DIR and so on (docs/configuration.md). A file .env
in the working folder is read, too.

Examples:
  $ baobab
  $ baobab backup --to /backups/monday.tar
  $ DATABASE_URL=postgres://localhost/app baobab restore --from /backups/monday.tar
  $ baobab transfer --from sqlite:data/baobab.db --to postgres://localhost/app
  $ echo "$PASSWORD" | baobab user create ann --role editors

Exit codes: 0 done, 1 failed, 2 wrong arguments.`;

/** Commands that need no configuration, or read it themselves. */
const UNCONFIGURED: readonly string[] = ['serve', 'completion', 'new'];

/**
 * Defines the commands, without running any.
 *
 * @param env commands add the variables of a `.env` file in the working folder to it
 */
export function createProgram(env: Record<string, string | undefined>, host: Host = process): Command {
  const depsOf = createDepsOf(env, host);
  const program = new Command('baobab')
    .description('A self-hosted backend for mobile and web apps')
    .version(API_VERSION)
    .option('--json', 'print the result as one JSON object', false)
    .addHelpText('after', NOTES)
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
    })
    .exitOverride();
  let report: EnvironmentReport = { file: null, unknown: [], sources: new Map() };
  program.hook('preAction', (_program, command) => {
    if (UNCONFIGURED.includes(command.name())) return;
    report = completeEnvironment(env, host.cwd());
    for (const { variable, nearest } of report.unknown) {
      host.stderr.write(`baobab: ${variable} is unknown and has no effect; did you mean ${nearest}?\n`);
    }
  });
  addServe(program);
  addMigrate(program, depsOf);
  addCitus(program, depsOf);
  addUser(program, depsOf);
  addGroup(program, depsOf);
  addKey(program, depsOf);
  addAudit(program, depsOf);
  addCollection(program, depsOf);
  addIndex(program, depsOf);
  addDocument(program, depsOf);
  addTypes(program, depsOf);
  addExtension(program, depsOf);
  addSettings(program, depsOf);
  addSecrets(program, depsOf);
  addCopies(program, depsOf);
  addConfig(program, depsOf, () => report);
  addDoctor(program, depsOf, () => report);
  addCompletion(program, host);
  return program;
}
