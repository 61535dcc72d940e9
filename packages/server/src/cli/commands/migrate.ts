import type { Command } from 'commander';
import { parseConfig } from '../../config.ts';
import type { CommandDeps } from '../deps.ts';
import { type DepsOf, printing } from './shared.ts';

const schemas = () => import('../schema.ts');

async function archiveOf({ env, logger }: CommandDeps) {
  const { openArchive } = await import('../../composition/archives.ts');
  return openArchive(parseConfig(env).database, logger);
}

export function addMigrate(program: Command, depsOf: DepsOf): void {
  const migrate = program.command('migrate').description('show or update the schema of the database');
  printing(migrate.command('status'))
    .description('show the schema version, the version that this program needs, and pending migrations')
    .action(async (_options: object, command: Command) => {
      const deps = depsOf(command);
      await (await schemas()).schemaStatus(await archiveOf(deps), deps.output);
    });
  printing(migrate.command('up'))
    .description('run the pending migrations; servers can keep running')
    .action(async (_options: object, command: Command) => {
      const deps = depsOf(command);
      await (await schemas()).bringUp(await archiveOf(deps), deps.output);
    });
}
