import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

const keys = () => import('../keys.ts');

export function addKey(program: Command, depsOf: DepsOf): void {
  const key = program.command('key').description('manage API keys');
  printing(key.command('create <name> <role>'))
    .description('create an API key with the permissions of a role, and show it once')
    .option('--expires <date>', 'expiry, such as 2030-01-31T00:00:00Z (default: never)')
    .action(async (name: string, role: string, { expires }: { expires?: string }, command: Command) =>
      (await keys()).createKey(depsOf(command), { name, role, expires: expires ?? null }),
    );
  printing(key.command('list'))
    .description('list the API keys, oldest first')
    .action(async (_options: object, command: Command) => (await keys()).listKeys(depsOf(command)));
  printing(key.command('delete <id>'))
    .description('delete an API key, which stops working immediately')
    .action(async (id: string, _options: object, command: Command) => (await keys()).deleteKey(depsOf(command), id));
}
