import { POSTGRES_MIGRATIONS } from '@baobab/adapters/postgres';
import { SQLITE_MIGRATIONS } from '@baobab/adapters/sqlite';
import type { Archive, SchemaStatus } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { assertKnown, type Migration, statusOf } from '../../packages/adapters/src/sql/migrations.ts';
import { schemaStatus } from '../../packages/server/src/cli/schema.ts';

const ALL: readonly Migration[] = ['one', 'two', 'three'].map((name) => ({ name, statements: [] }));

async function explain(status: SchemaStatus): Promise<string> {
  const lines: string[] = [];
  const output = {
    result: (text: string) => lines.push(text),
    print: () => undefined,
    progress: () => undefined,
    status: () => undefined,
    end: () => undefined,
  };
  await schemaStatus({ status: async () => status } as Archive, output);
  return lines.join('\n');
}

describe('a program that knows version 3', () => {
  it.each([
    [0, 'behind', ['one', 'two', 'three'], 'The schema is at version 0 of 3; pending: one, two, three'],
    [2, 'behind', ['three'], 'The schema is at version 2 of 3; pending: three'],
    [3, 'current', [], 'The schema is up to date (version 3)'],
    [
      4,
      'ahead',
      [],
      'The schema is newer (version 4) than this program (3), which cannot use it: start a newer program',
    ],
  ] as const)('describes version %i as %s', async (version, state, pending, text) => {
    const status = statusOf(ALL, version);
    expect(status).toEqual({ state, current: version, needed: 3, pending });
    expect(await explain(status)).toBe(text);
  });

  it('refuses only newer versions', () => {
    for (const version of [0, 2, 3]) assertKnown(ALL, version);
    expect(() => assertKnown(ALL, 4)).toThrow(expect.objectContaining({ code: 'storage.schema_too_new' }));
  });
});

it('both databases have the same migrations', () => {
  expect(POSTGRES_MIGRATIONS.map(({ name }) => name)).toEqual(SQLITE_MIGRATIONS.map(({ name }) => name));
});
