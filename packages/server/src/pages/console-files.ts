import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  /** Compressed content by content coding, as far as built. */
  readonly coded: ReadonlyMap<string, Buffer>;
}

/** Build of the console. */
interface ConsoleBuild {
  readonly page: string;
  /** Files by name. Names contain a digest of the content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Content codings of the build, smallest first. */
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

async function readAssets(folder: string): Promise<Map<string, ConsoleFile>> {
  const names = await readdir(folder);
  const assets = new Map<string, ConsoleFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const coded = new Map<string, Buffer>();
    for (const [coding, ending] of CODINGS)
      if (names.includes(name + ending)) coded.set(coding, await readFile(join(folder, name + ending)));
    assets.set(name, { type, plain: await readFile(join(folder, name)), coded });
  }
  return assets;
}

/** Returns the modification time of the page, or null if there is none. */
async function builtAt(page: string): Promise<number | null> {
  try {
    return (await stat(page)).mtimeMs;
  } catch {
    return null;
  }
}

/**
 * Reads the build in `folder` on first use, and again after each new build. Files are served from memory, so that a
 * page never receives scripts of another build. Null without a build.
 */
export function createConsoleFiles(folder: string): () => Promise<ConsoleBuild | null> {
  const path = join(folder, 'index.html');
  let known: { readonly at: number; readonly build: Promise<ConsoleBuild> } | null = null;

  async function read(): Promise<ConsoleBuild> {
    return { page: await readFile(path, 'utf8'), assets: await readAssets(join(folder, 'assets')) };
  }

  return async () => {
    const at = await builtAt(path);
    if (at === null) return null;
    if (known?.at !== at) {
      const build = read();
      known = { at, build };
      build.catch(() => {
        known = null;
      });
    }
    return known.build;
  };
}

const CODING = /^\s*([\w*-]+)\s*(?:;\s*q\s*=\s*([\d.]+)\s*)?$/;

/** Chooses the content coding by the header `Accept-Encoding`. */
export function choose({ plain, coded }: ConsoleFile, accepted = ''): readonly [coding: string | null, bytes: Buffer] {
  const weights = new Map(
    accepted.split(',').map((text) => {
      const [, name = '', weight = '1'] = CODING.exec(text) ?? [];
      return [name.toLowerCase(), Number(weight)];
    }),
  );
  for (const [coding, bytes] of coded) if ((weights.get(coding) ?? 0) > 0) return [coding, bytes];
  return [null, plain];
}
