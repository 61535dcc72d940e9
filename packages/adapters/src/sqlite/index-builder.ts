import { definitionText, type IndexBuilder, type IndexWork, isDeclared, setReady } from '../sql/indexes/indexes.ts';
import { LOWER_OF_VERSION, TO_LOWER_CASE } from './criteria.ts';
import { type Connection, isUniqueViolation } from './database.ts';
import { runOnThread } from './thread.ts';
import type { Writer } from './writer.ts';

interface IndexRow {
  readonly name: string;
  /** Null for an index of a constraint. */
  readonly sql: string | null;
}

/** Returns true unless an index contains lower-case texts of another version of Unicode. */
const isCurrent = (definition: string) => !definition.includes(TO_LOWER_CASE) || definition.includes(LOWER_OF_VERSION);

/**
 * Builds indexes on a separate thread, which blocks neither the event loop nor readers. SQLite has one writer, so
 * other writers wait for the build.
 */
export function createIndexBuilder(
  path: string,
  { writing, writer }: { writing: Connection; writer: Writer },
): IndexBuilder {
  const names = (isWanted: (definition: string) => boolean = () => true) => {
    const rows = writing.all<IndexRow>("select name, sql from sqlite_master where type = 'index'", []);
    return rows.filter(({ name, sql }) => isDeclared(name) && isWanted(sql ?? '')).map(({ name }) => name);
  };
  const drop = (name: string) => writer.run(() => writing.exec(`drop index if exists ${name}`), { isCompound: true });

  const work: IndexWork = {
    whole: async () => names(isCurrent),
    all: async () => names(),
    async build(name, definition) {
      if (!names(isCurrent).includes(name)) await drop(name);
      const made = `create index if not exists ${name} on ${definitionText(definition)}`;
      await writer.pause(() => runOnThread(path, `${made}; ${setReady(name, `'${name}'`)}`));
    },
    async buildUnique(name, definition) {
      try {
        await writer.pause(() => runOnThread(path, `create unique index if not exists ${name} on ${definition}`));
        return true;
      } catch (error) {
        if (isUniqueViolation(error)) return false;
        throw error;
      }
    },
    drop,
  };
  return { exclusively: (run) => run(work) };
}
