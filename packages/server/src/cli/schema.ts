import type { Archive, SchemaStatus } from '@baobab/core';
import type { Output } from './output.ts';

function describe({ state, current, needed, compatibleFrom, pending, compatibleAfter }: SchemaStatus): string {
  switch (state) {
    case 'current':
      return `The schema is up to date (version ${current})`;
    case 'compatible':
      return `The schema is newer (version ${current}) than this program (${needed}), which can work with it: it suits programs from ${compatibleFrom} on`;
    case 'incompatible':
      return `The schema is newer (version ${current}) than this program (${needed}), which cannot work with it: it takes programs from ${compatibleFrom} on`;
    case 'behind': {
      const others =
        compatibleAfter > compatibleFrom && current > 0
          ? `Stop programs that know less than version ${compatibleAfter} before: they cannot work with it afterwards`
          : 'Programs that work with it now can go on meanwhile and afterwards';
      return `The schema is at version ${current} of ${needed}; to come: ${pending.join(', ')}\n${others}`;
    }
  }
}

/** Tells how the schema stands to this program. */
export async function schemaStatus(archive: Archive, output: Output): Promise<void> {
  const status = await archive.status();
  output.result(describe(status), status);
}

/** Makes the migrations that are to come. */
export async function bringUp(archive: Archive, output: Output): Promise<void> {
  await archive.migrate();
  await schemaStatus(archive, output);
}
