import { createActor, type Profile, wireDate } from '@baobab/core';
import { profileJson, searchCursor } from '@baobab/http/format';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { countLine, type ListOptions, moreLine, pageJson, pageOf } from './listing.ts';
import { listing, table } from './table.ts';

const rowOf = ({ name, role, status, created }: Profile) => [name, role, status, wireDate(created)];

/** Lists users. The built-in administrator is never listed. */
export async function listUsers(deps: CommandDeps, options: ListOptions): Promise<void> {
  await administrate(deps, async ({ services, actor, config }) => {
    const page = pageOf(options, services.parseQuery, config);
    const list = services.userLists.allAsAdmin(actor);
    if (options.count === true) {
      const count = await list.count(page.query);
      deps.output.result(countLine(count, 'user', 'users'), { count });
      return;
    }
    const found = await list.search(page);
    const next = searchCursor(page, found);
    const users = found.objects;
    const rows = users === null ? found.rows : users.map((user) => profileJson(user));
    const text =
      users === null ? rows.join('\n') : table(['username', 'role', 'status', 'signUpDate'], users.map(rowOf));
    deps.output.print(text + moreLine(next), pageJson(rows, found.more, next));
  });
}

export async function showUser(deps: CommandDeps, username: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const user = await services.userAdmin.read(actor, username);
    const text = listing([
      ['username', user.name],
      ['id', user.id],
      ['role', user.role],
      ['status', user.status],
      ['signUpDate', wireDate(user.created)],
      ...Object.entries(user.sections),
    ]);
    deps.output.print(text, profileJson(user));
  });
}

/** Lists the sessions of a user, newest first. */
export async function listSessions(deps: CommandDeps, username: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const user = await services.userAdmin.read(actor, username);
    const sessions = await services.sessions.list(createActor(user, null));
    const data = sessions.map(({ id, created, lastUsed, os, network, agent, factor }) => ({
      id,
      created: wireDate(created),
      lastUsed: wireDate(lastUsed),
      os,
      network,
      client: agent,
      factor,
    }));
    const rows = data.map((one) => [one.id, one.created, one.lastUsed, one.os, one.network, one.factor]);
    const text =
      data.length === 0
        ? `${user.name} has no sessions`
        : table(['id', 'created', 'lastUsed', 'os', 'network', 'factor'], rows);
    deps.output.result(text, { data });
  });
}
