import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

export function addExtension(program: Command, depsOf: DepsOf): void {
  const extension = program.command('extension').description('write your own code that runs in the server');
  printing(extension.command('new'))
    .argument('<folder>', 'a new folder; its name is that of the extension')
    .description('create an extension with a test in a new folder')
    .action(async (folder: string, _options: object, command: Command) => {
      const { newExtension } = await import('../new-extension.ts');
      newExtension(depsOf(command), folder);
    });
}
