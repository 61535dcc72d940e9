import type { Command } from 'commander';
import type { GroupListOptions } from '../groups.ts';
import { type DepsOf, printing } from './shared.ts';

const groups = () => import('../groups.ts');

export function addGroup(program: Command, depsOf: DepsOf): void {
  const group = program.command('group').description('show groups of users');
  printing(group.command('list'))
    .description('list the groups with the number of their members, oldest first')
    .option('--recordsPerPage <number>', 'the size of a page')
    .option('--cursor <cursor>', 'continue after the page that printed this cursor')
    .action(async (options: GroupListOptions, command: Command) =>
      (await groups()).listGroups(depsOf(command), options),
    );
  printing(group.command('show <id>'))
    .description('show a group and its members')
    .action(async (id: string, _options: object, command: Command) => (await groups()).showGroup(depsOf(command), id));
}
