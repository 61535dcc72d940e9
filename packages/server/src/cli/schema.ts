import type { Archive, SchemaStatus } from '@baobab/core';
import type { Output } from './output.ts';

function describe({ state, current, needed, compatibleFrom, pending, compatibleAfter }: SchemaStatus): string {
  switch (state) {
    case 'current':
      return `The schema is up to date (version ${current})`;
    case 'compatible':
      return `The schema is newer (version ${current}) than this program (${needed}), which can use it: it is compatible with programs from ${compatibleFrom} on`;
    case 'incompatible':
      return `The schema is newer (version ${current}) than this program (${needed}), which cannot use it: it is compatible with programs from ${compatibleFrom} on`;
    case 'behind': {
      const others =
        compatibleAfter > compatibleFrom && current > 0
          ? `Stop programs that know less than version ${compatibleAfter} first: they cannot use the migrated schema`
          : 'Programs that use the schema now can keep running during and after the migration';
      return `The schema is at version ${current} of ${needed}; pending: ${pending.join(', ')}\n${others}`;
    }
  }
}

/** Reports the schema version and whether this program can use it. */
export async function schemaStatus(archive: Archive, output: Output): Promise<void> {
  const status = await archive.status();
  output.result(describe(status), status);
}

/** Runs the pending migrations. */
export async function bringUp(archive: Archive, output: Output): Promise<void> {
  await archive.migrate();
  await schemaStatus(archive, output);
}
