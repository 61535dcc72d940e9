import { INDEXED_LISTS } from '@baobab/core';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { table } from './table.ts';

/** Lists the indexes of users, files and assets. */
export async function listIndexes(deps: CommandDeps): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const data: { readonly of: string; readonly path: string; readonly state: string }[] = [];
    for (const list of INDEXED_LISTS) {
      for (const index of await services.indexes.list(actor, { list })) data.push({ of: list, ...index });
    }
    const rows = data.map(({ of, path, state }) => [of, path, state]);
    deps.output.result(data.length === 0 ? 'There are no indexes' : table(['of', 'path', 'state'], rows), { data });
  });
}
