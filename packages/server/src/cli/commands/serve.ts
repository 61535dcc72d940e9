import type { Command } from 'commander';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('start the service; the default without a command')
    .action(async () => {
      await import('../../program.ts');
    });
}
