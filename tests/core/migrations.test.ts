import { POSTGRES_MIGRATIONS } from '@baobab/adapters/postgres';
import { SQLITE_MIGRATIONS } from '@baobab/adapters/sqlite';
import type { Archive, SchemaStatus } from '@baobab/core';
import { describe, expect, it } from 'vitest';
import { type Migration, nextStep, type SchemaState, statusOf } from '../../packages/adapters/src/sql/migrations.ts';
import { schemaStatus } from '../../packages/server/src/cli/schema.ts';

const expanding = (name: string): Migration => ({ name, statements: [] });
const ALL: readonly Migration[] = [
  expanding('one'),
  expanding('two'),
  { ...expanding('three'), compatibleFrom: 2 },
  expanding('four'),
];

const at = (version: number, compatibleFrom = 1): SchemaState => ({ version, compatibleFrom });
/** A program with this number of migrations. */
const firstMigrations = (count: number) => ALL.slice(0, count);

describe('a program and a schema', () => {
  it.each([
    // known, version, compatible from, the state, the next version, which programs suit it
    [4, at(0), 'behind', at(1)],
    [4, at(1), 'behind', at(2)],
    [4, at(2), 'behind', at(3, 2)],
    [4, at(3, 2), 'behind', at(4, 2)],
    [4, at(4, 2), 'current', null],
    [2, at(4, 2), 'compatible', null],
    // Begun but not ended: it has raised the compatible version, but not yet the version.
    [4, at(2, 2), 'behind', at(3, 2)],
    [2, at(2, 2), 'current', null],
  ] as const)('that knows %i, on %o: %s', (known, state, expected, next) => {
    expect(statusOf(firstMigrations(known), state).state).toBe(expected);
    expect(nextStep(firstMigrations(known), state)?.to ?? null).toEqual(next);
  });

  it.each([
    [1, at(4, 2)],
    [1, at(3, 2)],
    [1, at(1, 2)],
    [3, at(9, 4)],
  ])('that knows %i does not go with %o', (known, state) => {
    expect(statusOf(firstMigrations(known), state).state).toBe('incompatible');
    expect(() => nextStep(firstMigrations(known), state)).toThrow(
      expect.objectContaining({ code: 'storage.schema_too_new' }),
    );
  });

  it('is explained in a message', async () => {
    const explain = async (status: SchemaStatus) => {
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
    };
    expect(await explain(statusOf(ALL, at(1)))).toBe(
      'The schema is at version 1 of 4; pending: two, three, four\nStop programs that know less than version 2 first: they cannot use the migrated schema',
    );
    expect(await explain(statusOf(ALL, at(3, 2)))).toBe(
      'The schema is at version 3 of 4; pending: four\nPrograms that use the schema now can keep running during and after the migration',
    );
  });
});

it('the migrations of this program suit the programs that they declare', () => {
  expect(POSTGRES_MIGRATIONS.map(({ name }) => name)).toEqual(SQLITE_MIGRATIONS.map(({ name }) => name));
  expect(new Set(POSTGRES_MIGRATIONS.map(({ name }) => name)).size).toBe(POSTGRES_MIGRATIONS.length);
  for (const [index, { compatibleFrom = 1 }] of POSTGRES_MIGRATIONS.entries()) {
    expect(compatibleFrom).toBeGreaterThan(0);
    expect(compatibleFrom).toBeLessThanOrEqual(index + 1);
  }
});
