#!/usr/bin/env node
import { isAppError, type Logger } from '@baobab/core';
import { API_VERSION } from '@baobab/http';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { createOutput } from './cli/output.ts';
import { yieldPriority } from './cli/priority.ts';
import { ConfigError, parseConfig } from './config.ts';

/** Exit codes: 0 success, 1 failure, 2 usage error. */
const FAILED = 1;
const MISUSED = 2;

const note = (bindings: object, message: string) => {
  const { err } = bindings as { err?: unknown };
  process.stderr.write(`baobab: ${message}${err instanceof Error ? `: ${err.message}` : ''}\n`);
};
const nothing = () => undefined;
const logger: Logger = { debug: nothing, info: nothing, warn: note, error: note };

// Imported lazily: a backup lowers its priority before most of its code is loaded.
const accounts = () => import('./cli/accounts.ts');
const copies = () => import('./cli/copies.ts');
const schemas = () => import('./cli/schema.ts');
const archiveOf = async () => {
  const { openArchive } = await import('./composition/archives.ts');
  return openArchive(parseConfig(process.env).database, logger);
};

/** Default throttle of a backup; bench/TRANSFER.md has the effect on services that run meanwhile. */
const GENTLE = 12;
const MAX_FACTOR = 1_000;

function factorOf(text: string): number {
  const times = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && times <= MAX_FACTOR) return times;
  throw new InvalidArgumentError(`It must be a number from 0 to ${MAX_FACTOR.toLocaleString('en')}.`);
}

const program = new Command('baobab')
  .description('A self-hosted backend for mobile and web apps')
  .version(API_VERSION)
  .option('--json', 'print the result as one JSON object', false)
  .addHelpText(
    'after',
    `
The environment names the database and the blob store, as for the service:
DATABASE_URL, BLOB_URL, DATA_DIR and so on (docs/configuration.md).

Examples:
  $ baobab
  $ baobab backup --to /backups/monday.tar
  $ DATABASE_URL=postgres://localhost/app baobab restore --from /backups/monday.tar
  $ baobab transfer --from sqlite:data/baobab.db --to postgres://localhost/app
  $ echo "$PASSWORD" | baobab user create ann --role editors

Exit codes: 0 done, 1 failed, 2 wrong arguments.`,
  )
  .exitOverride();

const deps = () => ({ env: process.env, logger, output: createOutput({ json: program.opts().json === true }) });

program
  .command('serve')
  .description('start the service; the default without a command')
  .action(async () => {
    await import('./main.ts');
  });

const migrate = program.command('migrate').description('show or update the schema of the database');
migrate
  .command('status')
  .description('show the schema version, the version that this program needs, and pending migrations')
  .action(async () => (await schemas()).schemaStatus(await archiveOf(), deps().output));
migrate
  .command('up')
  .description('run the pending migrations, even while services run')
  .action(async () => (await schemas()).bringUp(await archiveOf(), deps().output));

const user = program.command('user').description('manage accounts; passwords are typed or read from standard input');
user
  .command('create <username>')
  .description('create a user')
  .option('--role <role>', 'the role (default: registereduser)')
  .action(async (username: string, { role }: { role?: string }) =>
    (await accounts()).createUser(deps(), username, role),
  );
user
  .command('password <username>')
  .description('set the password of a user, including the administrator')
  .action(async (username: string) => (await accounts()).setPassword(deps(), username));
user
  .command('role <username> <role>')
  .description('change the role of a user')
  .action(async (username: string, role: string) => (await accounts()).setRole(deps(), username, role));

program
  .command('backup')
  .description('write everything into one file, even while the service runs')
  .requiredOption('--to <file>', 'the file to write')
  .option('--throttle <factor>', 'how long to pause, as a multiple of the time worked; 0: no pauses', factorOf, GENTLE)
  .addOption(new Option('--rest <factor>', 'the former name of --throttle').argParser(factorOf).hideHelp())
  .action(async ({ to, throttle, rest = throttle }: { to: string; throttle: number; rest?: number }) => {
    yieldPriority();
    await (await copies()).backup(deps(), { to, throttle: rest });
  });
program
  .command('restore')
  .description('restore a backup file into an empty database, atomically')
  .requiredOption('--from <file>', 'the file to read')
  .action(async (options: { from: string }) => (await copies()).restore(deps(), options));
program
  .command('transfer')
  .description('copy a database into an empty one; after an interruption, run it again to continue')
  .requiredOption('--from <url>', 'as DATABASE_URL; nothing may write to it during the copy')
  .requiredOption('--to <url>', 'as DATABASE_URL')
  .option('--blobs-from <url>', 'as BLOB_URL')
  .option('--blobs-to <url>', 'as BLOB_URL; blobs are not copied when absent')
  .action(async (options: { from: string; to: string; blobsFrom?: string; blobsTo?: string }) =>
    (await copies()).move(deps(), options),
  );

program
  .command('config')
  .description('check the configuration')
  .command('check')
  .description('check whether the environment is valid')
  .action(() => {
    const { database, blobs, port } = parseConfig(process.env);
    const data = { database: database.kind, blobs: blobs.kind, port };
    deps().output.result(`The environment is valid: ${JSON.stringify(data)}`, data);
  });

/** The message of an error for people. Stack traces are shown for bugs only. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isExpected =
    error instanceof ConfigError || isAppError(error) || error.name === 'ArchiveError' || 'syscall' in error;
  const cause = isAppError(error) && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return isExpected ? `${error.message}${cause}` : (error.stack ?? error.message);
}

const args = process.argv.slice(2);

try {
  // Without arguments, as in `npx baobab`, the program serves.
  await program.parseAsync(args.length > 0 ? args : ['serve'], { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : MISUSED;
  else {
    for (const line of explain(error).split('\n')) process.stderr.write(`baobab: ${line}\n`);
    process.exitCode = error instanceof ConfigError ? MISUSED : FAILED;
  }
}
