import type { Command } from 'commander';

export function addServe(program: Command): void {
  program
    .command('serve')
    .description('start the server; the default command')
    .option('--watch', 'restart when a file of an extension changes')
    .action(async () => {
      await import('../../program.ts');
    });
}
