import type { Command } from 'commander';
import { type DepsOf, printing } from './shared.ts';

const citus = () => import('../citus.ts');
/** Citus default. */
const SHARDS = '32';

export function addCitus(program: Command, depsOf: DepsOf): void {
  const command = program.command('citus').description('distribute the database over the nodes of a Citus cluster');
  printing(command.command('enable'))
    .description('distribute the documents by their collection; after an interruption, run it again to continue')
    .option('--shards <number>', 'number of shards of the documents', SHARDS)
    .action(async (options: { readonly shards: string }, self: Command) =>
      (await citus()).enableCitus(depsOf(self), options),
    );
  printing(command.command('status'))
    .description('show the nodes, the placement of tables, and remaining steps')
    .action(async (_options: object, self: Command) => (await citus()).citusStatus(depsOf(self)));
  printing(command.command('spread <collection>'))
    .description('spread the documents of an empty collection over all nodes')
    .option('--slices <number>', 'number of shards, up to 32; by default all of them')
    .action(async (name: string, { slices }: { readonly slices?: string }, self: Command) =>
      (await citus()).spreadCollection(depsOf(self), { name, slices }),
    );
  printing(command.command('rebalance'))
    .description('move shards in the background until they are balanced')
    .action(async (_options: object, self: Command) => (await citus()).rebalanceCitus(depsOf(self)));
}
