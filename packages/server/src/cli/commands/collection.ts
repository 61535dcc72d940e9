import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

const collections = () => import('../collections.ts');

export function addCollection(program: Command, depsOf: DepsOf): void {
  const collection = program.command('collection').description('manage collections');
  printing(collection.command('list'))
    .description('list the collections with their sizes')
    .action(async (_options: object, command: Command) => (await collections()).listCollections(depsOf(command)));
  printing(collection.command('show <name>'))
    .description('show a collection with its indexes, rules and schema')
    .action(async (name: string, _options: object, command: Command) =>
      (await collections()).showCollection(depsOf(command), name),
    );
  printing(collection.command('create <name>'))
    .description('create a collection')
    .action(async (name: string, _options: object, command: Command) =>
      (await collections()).createCollection(depsOf(command), name),
    );
  printing(collection.command('delete <name>'))
    .description('remove a collection with all its documents')
    .action(async (name: string, _options: object, command: Command) =>
      (await collections()).deleteCollection(depsOf(command), name),
    );
}
