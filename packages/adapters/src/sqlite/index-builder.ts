import { type IndexBuilder, type IndexWork, isDeclared, setReady } from '../sql/indexes.ts';
import type { Connection } from './database.ts';
import { runOnThread } from './thread.ts';
import type { Writer } from './writer.ts';

/**
 * Builds indexes on a separate thread, which blocks neither the event loop nor readers. SQLite has one writer, so
 * other writers wait for the build.
 */
export function createIndexBuilder(
  path: string,
  { writing, writer }: { writing: Connection; writer: Writer },
): IndexBuilder {
  const names = async () => {
    const rows = writing.all<{ name: string }>("select name from sqlite_master where type = 'index'", []);
    return rows.map(({ name }) => name).filter(isDeclared);
  };

  const work: IndexWork = {
    whole: names,
    all: names,
    build: (name, definition) =>
      writer.pause(() =>
        runOnThread(path, `create index if not exists ${name} on ${definition}; ${setReady(name, `'${name}'`)}`),
      ),
    drop: (name) => writer.run(() => writing.exec(`drop index if exists ${name}`), { isCompound: true }),
  };
  return { exclusively: (run) => run(work) };
}
