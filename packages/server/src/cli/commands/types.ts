import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

export function addTypes(program: Command, depsOf: DepsOf): void {
  printing(program.command('types'))
    .description('write TypeScript types of the documents of all collections, by their schemas')
    .requiredOption('--out <file>', 'the file to write')
    .action(async ({ out }: { out: string }, command: Command) => {
      const { writeTypes } = await import('../types.ts');
      await writeTypes(depsOf(command), out);
    });
}
