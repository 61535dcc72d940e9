import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

export function addSecrets(program: Command, depsOf: DepsOf): void {
  const secrets = program.command('secrets').description('manage what is encrypted with SECRET_KEY');
  printing(secrets.command('rotate'))
    .description('encrypt with SECRET_KEY what SECRET_KEY_PREVIOUS has encrypted, even while services run')
    .action(async (_options: object, command: Command) =>
      (await import('../secrets.ts')).rotateSecrets(depsOf(command)),
    );
}
