import type { Command } from 'commander';
import type { ListOptions } from '../listing.ts';
import { type DepsOf, listOptions, printing } from './shared.ts';

const documents = () => import('../documents.ts');

export function addDocument(program: Command, depsOf: DepsOf): void {
  const document = program.command('document').description('read and write documents as the administrator');
  printing(document.command('get <collection> <id>'))
    .description('show a document')
    .action(async (collection: string, id: string, _options: object, command: Command) =>
      (await documents()).getDocument(depsOf(command), { collection, id }),
    );
  printing(document.command('put <collection> [id]'))
    .description('replace the content of a document, or create one without an id')
    .option('--body <json>', 'the content (default: read from standard input)')
    .action(async (collection: string, id: string | undefined, { body }: { body?: string }, command: Command) =>
      (await documents()).putDocument(depsOf(command), { collection, id, body }),
    );
  listOptions(printing(document.command('query <collection>')))
    .description('list the documents of a collection, or query them')
    .action(async (collection: string, options: ListOptions, command: Command) =>
      (await documents()).queryDocuments(depsOf(command), collection, options),
    );
}
