import { encodeCursor, pageRequest } from '@baobab/http';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { type ListOptions, moreLine, pageJson } from './listing.ts';
import { listing, table } from './table.ts';

/** Maximum of the setting `group.max.members`. */
const MOST_MEMBERS = 10_000;

export type GroupListOptions = Pick<ListOptions, 'recordsPerPage' | 'cursor'>;

/** Lists all groups, oldest first. */
export async function listGroups(deps: CommandDeps, options: GroupListOptions): Promise<void> {
  await administrate(deps, async ({ services, actor, config }) => {
    const { groups, more } = await services.groups.all(actor, pageRequest({ ...options }, config));
    const last = groups.at(-1);
    const next = more && last !== undefined ? encodeCursor('i', last.id) : null;
    const text = table(
      ['id', 'name', 'members'],
      groups.map(({ id, name, members }) => [id, name, members]),
    );
    const rows = groups.map(({ id, name, members }) => JSON.stringify({ id, name, members }));
    deps.output.print(text + moreLine(next), pageJson(rows, more, next));
  });
}

/** Shows a group with all its members. */
export async function showGroup(deps: CommandDeps, id: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const everybody = { after: null, skip: 0, limit: MOST_MEMBERS };
    const { group, members } = await services.groups.read(actor, { id, ...everybody });
    const data = members.map(({ name, role }) => ({ name, role }));
    const head = listing([
      ['id', group.id],
      ['name', group.name],
    ]);
    const rows = data.map(({ name, role }) => [name, role]);
    deps.output.result(`${head}\n\n${table(['username', 'role'], rows)}`, {
      id: group.id,
      name: group.name,
      members: data,
    });
  });
}
