import { writeFile } from 'node:fs/promises';
import { isJsonObject, type JsonObject } from '@baobab/core';
import { collectionTypes } from '../types/collection-types.ts';
import { administrate } from './administration.ts';
import type { CommandDeps } from './deps.ts';

/** Writes TypeScript types for the documents of all collections. */
export async function writeTypes(deps: CommandDeps, file: string): Promise<void> {
  await administrate(deps, async ({ services, actor }) => {
    const collections: Array<{ name: string; schema: JsonObject | null }> = [];
    for (const name of await services.collections.names(actor)) {
      const text = await services.collectionSchemas.find(actor, name);
      const schema: unknown = text === null ? null : JSON.parse(text);
      collections.push({ name, schema: isJsonObject(schema) ? schema : null });
    }
    await writeFile(file, collectionTypes(collections));
    const typed = collections.filter(({ schema }) => schema !== null).length;
    const text = `Types of ${collections.length} collections written to ${file}, ${typed} of them with a schema`;
    deps.output.result(text, { file, collections: collections.length, typed });
  });
}
