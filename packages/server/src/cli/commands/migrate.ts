import type { Command } from 'commander';
import { parseConfig } from '../../config.ts';
import { depsOf, logger, printing } from './shared.ts';

const schemas = () => import('../schema.ts');

async function archive() {
  const { openArchive } = await import('../../composition/archives.ts');
  return openArchive(parseConfig(process.env).database, logger);
}

export function addMigrate(program: Command): void {
  const migrate = program.command('migrate').description('show or update the schema of the database');
  printing(migrate.command('status'))
    .description('show the schema version, the version that this program needs, and pending migrations')
    .action(async (_options, command) => (await schemas()).schemaStatus(await archive(), depsOf(command).output));
  printing(migrate.command('up'))
    .description('run the pending migrations, even while services run')
    .action(async (_options, command) => (await schemas()).bringUp(await archive(), depsOf(command).output));
}
