import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

export function addIndex(program: Command, depsOf: DepsOf): void {
  const index = program.command('index').description('show the indexes of users, files and assets');
  printing(index.command('list'))
    .description('list the indexes of users, files and assets')
    .action(async (_options: object, command: Command) => (await import('../indexes.ts')).listIndexes(depsOf(command)));
}
