import type { Archive, SchemaStatus } from '@baobab/core';
import type { Output } from './output.ts';

function describe({ state, current, needed, pending }: SchemaStatus): string {
  switch (state) {
    case 'current':
      return `The schema is up to date (version ${current})`;
    case 'ahead':
      return `The schema is newer (version ${current}) than this program (${needed}), which cannot use it: start a newer program`;
    case 'behind':
      return `The schema is at version ${current} of ${needed}; pending: ${pending.join(', ')}`;
  }
}

/** Reports the schema version and its compatibility with this program. */
export async function schemaStatus(archive: Archive, output: Output): Promise<void> {
  const status = await archive.status();
  output.result(describe(status), status);
}

/** Runs the pending migrations. */
export async function bringUp(archive: Archive, output: Output): Promise<void> {
  await archive.migrate();
  await schemaStatus(archive, output);
}
