import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

export function addSecrets(program: Command, depsOf: DepsOf): void {
  const secrets = program.command('secrets').description('manage values that are encrypted with SECRET_KEY');
  printing(secrets.command('rotate'))
    .description('re-encrypt values from SECRET_KEY_PREVIOUS with SECRET_KEY; the server can keep running')
    .action(async (_options: object, command: Command) =>
      (await import('../secrets.ts')).rotateSecrets(depsOf(command)),
    );
}
