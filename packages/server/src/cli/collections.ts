import { AppError, type ShownRules } from '@baobab/core';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';
import { listing, table } from './table.ts';

export async function listCollections(deps: CommandDeps): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const data = await services.collections.list(actor);
    const rows = data.map(({ name, records, size }) => [name, records, size]);
    deps.output.result(table(['name', 'records', 'size'], rows), { data });
  });
}

export async function createCollection(deps: CommandDeps, name: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    await services.collections.create(actor, name);
    deps.output.result(`Collection ${name} created`, { name });
  });
}

/** Removes a collection with all its documents. */
export async function deleteCollection(deps: CommandDeps, name: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    await services.collections.remove(actor, name);
    deps.output.result(`Collection ${name} removed, with its documents`, { name });
  });
}

export async function showCollection(deps: CommandDeps, name: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const key = name.toLowerCase();
    const collection = (await services.collections.list(actor)).find((one) => one.name.toLowerCase() === key);
    if (collection === undefined) throw new AppError('collection.not_found');
    const indexes = await services.indexes.list(actor, { collection: name });
    const rules = await services.collectionRules.read(actor, name);
    const schema = await services.collectionSchemas.find(actor, name);
    const text = listing([
      ...Object.entries(collection),
      ['indexes', indexes.map(({ path, state, unique }) => `${path} (${unique ? 'unique, ' : ''}${state})`).join(', ')],
      ...rulesShown(rules),
      ['schema', schema ?? ''],
    ]);
    const shown = schema === null ? null : JSON.parse(schema);
    deps.output.result(text, { ...collection, indexes, rules, schema: shown });
  });
}

/** Returns the rules as lines: the roles of each action, and what is set of parents and checks. */
function rulesShown({ create, read, update, delete: remove, parent, check }: ShownRules): [string, string][] {
  const roles = { create, read, update, delete: remove };
  const lines = Object.entries(roles).map(([action, rules]): [string, string] => [
    `roles that may ${action}`,
    rules.map((rule) => (typeof rule === 'string' ? rule : `${rule.role} if ${rule.if}`)).join(', '),
  ]);
  if (parent !== null) lines.push(['parent', JSON.stringify(parent)]);
  for (const [action, expression] of Object.entries(check)) lines.push([`check on ${action}`, expression]);
  return lines;
}
