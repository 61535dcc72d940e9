import type { JsonObject } from '@baobab/core';
import { createNames } from './names.ts';
import { schemaTypes } from './schema-types.ts';

export interface TypedCollection {
  readonly name: string;
  /** Null without a schema. */
  readonly schema: JsonObject | null;
}

const HEAD = `// Written by "baobab types". Do not change it: run the command again after a schema has changed.

`;
const ANYTHING = '{\n  [name: string]: unknown;\n}';

/** Returns a TypeScript module with a type for the content of each collection, and `App`, which combines them. */
export function collectionTypes(collections: readonly TypedCollection[]): string {
  const newName = createNames(['App']);
  const named = collections.map((collection) => ({ ...collection, type: newName(collection.name) }));
  const declarations = named.flatMap(({ schema, type }) =>
    schema === null ? [`export type ${type} = ${ANYTHING};\n`] : schemaTypes({ schema, name: type, newName }),
  );
  const members = named.map(({ name, type }) => `    ${JSON.stringify(name)}: ${type};\n`).join('');
  const app = `/** The content of documents, by collection. */\nexport interface App {\n  collections: {\n${members}  };\n}\n`;
  return HEAD + [...declarations, app].join('\n');
}
