import { Argument, type Command } from 'commander';
import { treeOf } from '../command-tree.ts';
import { completionOf, SHELLS, type Shell } from '../completion.ts';
import type { Host } from '../host.ts';

export function addCompletion(program: Command, host: Host): void {
  program
    .command('completion')
    .description('print a script that completes commands in a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => {
      host.stdout.write(completionOf(shell, treeOf(program)));
    });
}
