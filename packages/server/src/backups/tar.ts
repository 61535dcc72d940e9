import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ArchiveEntry, ArchiveError, damaged, MANIFEST, type OpenArchive, type ReadEntry } from '@baobab/core';
import { extract, pack } from 'tar-stream';

/** Last entry, with the checksums of all others. */
const CHECKSUMS = 'checksums.json';

/** First bytes of compressed files, by the name of their format. */
const COMPRESSED: ReadonlyArray<readonly [format: string, magic: string]> = [
  ['gzip', '1f8b'],
  ['bzip2', '425a68'],
  ['xz', 'fd377a585a00'],
  ['zstd', '28b52ffd'],
  ['zip', '504b0304'],
];

type Entry = AsyncIterable<Uint8Array> & {
  readonly header: { readonly name: string; readonly type?: string | null };
  resume(): void;
};

const foreign = (cause: string) => new ArchiveError(`The archive was not restored, nothing was changed: ${cause}`);

const repacked = () =>
  foreign('it was packed again, or is not an archive of this program; restore the file that "baobab backup" wrote');

/** Size of the blocks that are hashed and written, in bytes. */
const CHUNK = 65_536;

async function* chunksOf(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  if ('text' in entry) yield Buffer.from(entry.text, 'utf8');
  // A copy: a chunk is valid only until the next one is requested, but may wait here longer.
  else for await (const chunk of entry.bytes) yield Uint8Array.from(chunk);
}

async function* bytesOf(entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(entry)) {
    for (let at = 0; at < chunk.length; at += CHUNK) yield chunk.subarray(at, at + CHUNK);
  }
}

const sizeOf = (entry: ArchiveEntry) => ('text' in entry ? Buffer.byteLength(entry.text) : entry.size);

interface TarOptions {
  /** Called after each chunk of an entry, and awaited. */
  readonly added: (entry: string, bytes: number) => Promise<void>;
  /** Aborts the archive: it fails with the reason of the signal. */
  readonly signal: AbortSignal;
}

/**
 * Returns the bytes of a tar archive (POSIX.1-2001) that ends with the SHA-256 checksums of its entries. Without them,
 * readers consider it incomplete.
 */
export async function* tarOf(
  entries: AsyncIterable<ArchiveEntry>,
  { added, signal }: TarOptions,
): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const checksums: Record<string, string> = {};

  async function add(entry: ArchiveEntry): Promise<void> {
    const hash = createHash('sha256');
    const sink = archive.entry({ name: entry.name, size: sizeOf(entry) });
    async function* hashed() {
      for await (const bytes of bytesOf(entry)) {
        signal.throwIfAborted();
        hash.update(bytes);
        yield bytes;
        await added(entry.name, bytes.length);
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

  const adding = addAll().catch((error: Error) => {
    archive.destroy(error);
    throw error;
  });
  adding.catch(() => undefined); // reported below
  try {
    for await (const chunk of archive) yield chunk as Uint8Array;
    await adding;
  } finally {
    archive.destroy();
    await adding.catch(() => undefined);
  }
}

/** @throws `ArchiveError` if the bytes are compressed */
async function* uncompressed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of bytes) {
    if (isFirst) {
      const start = Buffer.from(chunk.subarray(0, 8)).toString('hex');
      const format = COMPRESSED.find(([, magic]) => start.startsWith(magic))?.[0];
      if (format !== undefined) throw foreign(`it is compressed with ${format}; decompress it first`);
      isFirst = false;
    }
    yield chunk;
  }
}

async function* entriesOf(open: OpenArchive): AsyncGenerator<Entry> {
  const archive = extract();
  const bytes = Readable.from(uncompressed(await open()), { objectMode: false });
  const reading = pipeline(bytes, archive as unknown as NodeJS.WritableStream);
  reading.catch(() => undefined); // the iteration below reports it
  for await (const entry of archive) yield entry as unknown as Entry;
  await reading;
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Returns the checksums of an archive's entries, as computed and as recorded in its last entry. */
async function checksumsOf(open: OpenArchive): Promise<{ found: Map<string, string>; expected: Map<string, string> }> {
  const found = new Map<string, string>();
  let expected: Map<string, string> | null = null;
  for await (const entry of entriesOf(open)) {
    const { name } = entry.header;
    const isUnordered = expected !== null || (found.size === 0 && name !== MANIFEST);
    if (isUnordered || entry.header.type === 'directory') throw repacked();
    if (found.has(name)) throw damaged(`${name} occurs twice`);
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

/** True if reading the archive failed, as opposed to a damaged archive. */
const isOfReading = (error: unknown): error is Error =>
  error instanceof Error && (error.name === 'ArchiveError' || error.name === 'AppError' || 'syscall' in error);

/**
 * Reads the whole archive and verifies its checksums.
 *
 * @throws `ArchiveError` if an entry is missing, changed or unexpected; read errors
 */
export async function verifyTar(open: OpenArchive): Promise<void> {
  const { found, expected } = await checksumsOf(open).catch((error: unknown) => {
    if (isOfReading(error)) throw error;
    throw damaged('it is not an archive of this program, or it is truncated', error);
  });
  for (const name of new Set([...found.keys(), ...expected.keys()])) {
    if (found.get(name) !== expected.get(name)) throw damaged(`the checksum of ${name} does not match`);
  }
}

/** Returns the entries of a verified archive. Read each to its end before the next. */
export async function* readTar(open: OpenArchive): AsyncGenerator<ReadEntry> {
  for await (const entry of entriesOf(open)) {
    const { name } = entry.header;
    if (name === CHECKSUMS) entry.resume();
    else yield { name, bytes: entry, text: () => textOf(entry) };
  }
}
