import { parseDate } from '@baobab/core';
import { shownApiKey } from '@baobab/http';
import { OPERATOR_PRESENCE } from '../composition/operator.ts';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { table } from './table.ts';

interface NewKey {
  readonly name: string;
  readonly role: string;
  readonly expires: string | null;
}

/** Creates an API key that the built-in administrator owns. */
export async function createKey(deps: CommandDeps, { name, role, expires }: NewKey): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const end = expires === null ? null : parseDate(expires, 'expires');
    const { key, text } = await services.apiKeys.create(actor, {
      name,
      role,
      expires: end,
      presence: OPERATOR_PRESENCE,
    });
    deps.output.result(`${text}\nThis key is not shown again; its id is ${key.id}`, { ...shownApiKey(key), key: text });
  });
}

/** Lists the API keys, oldest first. */
export async function listKeys(deps: CommandDeps): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const data = (await services.apiKeys.list(actor)).map(shownApiKey);
    const rows = data.map((key) => [key.id, key.name, key.role, key.owner, key.expires, key.lastUse]);
    const text =
      data.length === 0 ? 'There are no API keys' : table(['id', 'name', 'role', 'owner', 'expires', 'lastUse'], rows);
    deps.output.result(text, { data });
  });
}

export async function deleteKey(deps: CommandDeps, id: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    await services.apiKeys.remove(actor, id);
    deps.output.result(`API key ${id} deleted`, { id });
  });
}
