import type { Command } from 'commander';
import type { ListOptions } from '../listing.ts';
import { type DepsOf, listOptions, printing } from './shared.ts';

const accounts = () => import('../accounts.ts');
const users = () => import('../users.ts');

export function addUser(program: Command, depsOf: DepsOf): void {
  const user = program.command('user').description('manage accounts; passwords are read from standard input');
  printing(user.command('create <username>'))
    .description('create a user')
    .option('--role <role>', 'the role (default: registereduser)')
    .action(async (username: string, { role }: { role?: string }, command: Command) =>
      (await accounts()).createUser(depsOf(command), username, role),
    );
  printing(user.command('password <username>'))
    .description('set the password of a user, including the administrator')
    .action(async (username: string, _options: object, command: Command) =>
      (await accounts()).setPassword(depsOf(command), username),
    );
  printing(user.command('role <username> <role>'))
    .description('change the role of a user')
    .action(async (username: string, role: string, _options: object, command: Command) =>
      (await accounts()).setRole(depsOf(command), username, role),
    );
  printing(user.command('reset-factors <username>'))
    .description('turn two-factor authentication of a user off and remove the passkeys')
    .action(async (username: string, _options: object, command: Command) =>
      (await accounts()).resetFactors(depsOf(command), username),
    );
  listOptions(printing(user.command('list')))
    .description('list the users, except the built-in administrator')
    .action(async (options: ListOptions, command: Command) => (await users()).listUsers(depsOf(command), options));
  printing(user.command('show <username>'))
    .description('show a user with the whole profile')
    .action(async (username: string, _options: object, command: Command) =>
      (await users()).showUser(depsOf(command), username),
    );
  printing(user.command('sessions <username>'))
    .description('list the sessions of a user, newest first')
    .action(async (username: string, _options: object, command: Command) =>
      (await users()).listSessions(depsOf(command), username),
    );
}
