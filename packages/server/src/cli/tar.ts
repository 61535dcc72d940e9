import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ArchiveEntry, damaged, type ReadEntry } from '@baobab/core';
import { extract, pack } from 'tar-stream';
import type { Throttle } from './throttle.ts';

/** The last entry: the checksum of each of the others. */
const CHECKSUMS = 'checksums.json';

type Entry = AsyncIterable<Uint8Array> & { readonly header: { readonly name: string }; resume(): void };

/** How much is hashed and written at once, in bytes. */
const CHUNK = 65_536;
/**
 * Limit on the bytes that are not yet synced to disk. A database that syncs its own file to the same disk has to wait
 * for them too.
 */
const MOST_UNSYNCED = 1_048_576;

async function* chunksOf(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  if ('text' in entry) yield Buffer.from(entry.text, 'utf8');
  // A copy: these chunks are valid until the next one is requested, but may wait here longer.
  else for await (const chunk of entry.bytes) yield Uint8Array.from(chunk);
}

async function* bytesOf(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(entry)) {
    for (let at = 0; at < chunk.length; at += CHUNK) yield chunk.subarray(at, at + CHUNK);
  }
}

const sizeOf = (entry: ArchiveEntry) => ('text' in entry ? Buffer.byteLength(entry.text) : entry.size);

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

/**
 * Writes entries as a tar archive (POSIX.1-2001) that ends with their SHA-256 checksums. The file appears at `path`
 * only once it is complete and on disk.
 */
export async function writeTar(path: string, entries: AsyncIterable<ArchiveEntry>, throttle: Throttle): Promise<void> {
  const unfinished = `${path}.unfinished`;
  const file = await open(unfinished, 'w', 0o600);
  const archive = pack();
  const checksums: Record<string, string> = {};
  let unsynced = 0;

  async function add(entry: ArchiveEntry): Promise<void> {
    const hash = createHash('sha256');
    const sink = archive.entry({ name: entry.name, size: sizeOf(entry) });
    async function* hashed() {
      for await (const bytes of bytesOf(entry)) {
        hash.update(bytes);
        yield bytes;
        unsynced += bytes.length;
        if (unsynced >= MOST_UNSYNCED) {
          await file.datasync();
          unsynced = 0;
        }
        await throttle.pause();
      }
    }
    await pipeline(hashed(), sink as unknown as NodeJS.WritableStream);
    checksums[entry.name] = hash.digest('hex');
  }

  async function addAll(): Promise<void> {
    for await (const entry of entries) await add(entry);
    await add({ name: CHECKSUMS, text: JSON.stringify(checksums) });
    archive.finalize();
  }

  try {
    const written = pipeline(
      archive as unknown as NodeJS.ReadableStream,
      file.createWriteStream({ flush: true }), // closes it
    );
    await Promise.all([
      written,
      addAll().catch((error: Error) => {
        archive.destroy(error);
        throw error;
      }),
    ]);
    await rename(unfinished, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function* entriesOf(path: string): AsyncGenerator<Entry> {
  const archive = extract();
  const reading = pipeline(createReadStream(path), archive as unknown as NodeJS.WritableStream);
  reading.catch(() => undefined); // the iteration below reports it
  for await (const entry of archive) yield entry as unknown as Entry;
  await reading;
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** The checksums of the entries of an archive, as found and as recorded in its last entry. */
async function checksumsOf(path: string): Promise<{ found: Map<string, string>; expected: Map<string, string> }> {
  const found = new Map<string, string>();
  let expected: Map<string, string> | null = null;
  for await (const entry of entriesOf(path)) {
    const { name } = entry.header;
    if (expected !== null || found.has(name)) throw damaged(`${name} occurs twice, or after the end`);
    if (name === CHECKSUMS) {
      expected = new Map(Object.entries(JSON.parse(await textOf(entry)) as Record<string, string>));
      continue;
    }
    const hash = createHash('sha256');
    for await (const bytes of entry) hash.update(bytes);
    found.set(name, hash.digest('hex'));
  }
  if (expected === null) throw damaged('it is truncated');
  return { found, expected };
}

/**
 * Reads the whole archive and compares it with its checksums.
 *
 * @throws `ArchiveError` when an entry is missing, changed or unexpected; the system's error when the file cannot be
 * read
 */
export async function verifyTar(path: string): Promise<void> {
  const { found, expected } = await checksumsOf(path).catch((error: unknown) => {
    if (error instanceof Error && (error.name === 'ArchiveError' || 'syscall' in error)) throw error;
    throw damaged('it is not an archive of this program, or it is truncated', error);
  });
  for (const name of new Set([...found.keys(), ...expected.keys()])) {
    if (found.get(name) !== expected.get(name)) throw damaged(`the checksum of ${name} does not match`);
  }
}

/** The entries of a verified archive. Read each to its end before the next. */
export async function* readTar(path: string): AsyncGenerator<ReadEntry> {
  for await (const entry of entriesOf(path)) {
    const { name } = entry.header;
    if (name === CHECKSUMS) entry.resume();
    else yield { name, bytes: entry, text: () => textOf(entry) };
  }
}
