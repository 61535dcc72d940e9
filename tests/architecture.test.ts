import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const MAX_LINES = 350;

interface Source {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
  /** The modules that it imports or exports from, including types. */
  readonly imports: readonly string[];
}

const IMPORT = /(?:^|[;\n])\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g;

function sourcesOf(folder: string): Source[] {
  // `.cache` has the temporary folders of tests that run at the same time.
  const exclude = (name: string) => ['node_modules', 'dist', '.cache'].includes(basename(name));
  return globSync('**/*.{ts,tsx}', { cwd: join(ROOT, folder), exclude }).map((name) => {
    const path = join(folder, name);
    const text = readFileSync(join(ROOT, path), 'utf8');
    const imports = Array.from(text.matchAll(IMPORT), ([, from, bare]) => from ?? bare ?? '');
    return { path, text, imports };
  });
}

const core = sourcesOf('packages/core/src');
const adapters = sourcesOf('packages/adapters/src');
const contracts = sourcesOf('packages/contracts/src');
const http = sourcesOf('packages/http/src');
const server = sourcesOf('packages/server/src');
const client = sourcesOf('packages/client/src');
const consoleSources = sourcesOf('packages/console/src');
const examples = sourcesOf('examples').filter(({ path }) => !path.startsWith('examples/extensions/'));
const extensions = sourcesOf('examples/extensions');
const tests = sourcesOf('tests');

/** The source without comments and strings. */
const codeOf = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");

const violations = (sources: readonly Source[], forbidden: (specifier: string, path: string) => boolean) =>
  sources.flatMap(({ path, imports }) =>
    imports.filter((specifier) => forbidden(specifier, path)).map((specifier) => `${path} imports ${specifier}`),
  );

const isNode = (specifier: string) => specifier.startsWith('node:') || builtinModules.includes(specifier);
const isRelative = (specifier: string) => specifier.startsWith('.');

describe('the layers', () => {
  it('are checked: every package has sources with imports', () => {
    for (const sources of [core, adapters, contracts, http, server, client, consoleSources, tests]) {
      expect(sources.length).toBeGreaterThan(10);
      expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(sources.length / 2);
    }
  });

  it('have a core that imports only itself', () => {
    expect(violations(core, (specifier) => !isRelative(specifier))).toEqual([]);
  });

  it('have a core that uses nothing of Node or of a browser', () => {
    const named = core.filter(({ text }) =>
      /\b(?:process|Buffer|globalThis|require|__dirname|setTimeout|setInterval|setImmediate|fetch|console)\b\s*[.(]/.test(
        codeOf(text),
      ),
    );
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  it('have adapters that know the core and neither HTTP nor the container', () => {
    const foreign = (specifier: string) => /^(?:@baobab\/(?!core$)|fastify|@fastify\/|inversify)/.test(specifier);
    expect(violations(adapters, foreign)).toEqual([]);
  });

  it('have contracts that know the core and no adapter', () => {
    const foreign = (specifier: string) => /^@baobab\/(?!core$)/.test(specifier);
    expect(violations(contracts, foreign)).toEqual([]);
  });

  it('have an HTTP layer that imports the core and no part of the program', () => {
    const foreign = (specifier: string) =>
      /^(?:@baobab\/(?!core$)|inversify|pino|commander|prom-client|@opentelemetry\/)/.test(specifier);
    expect(violations(http, foreign)).toEqual([]);
  });

  it('have a client that imports only itself, and React for its hooks, and runs in browsers as well', () => {
    const foreign = (specifier: string, path: string) =>
      !isRelative(specifier) && !(specifier === 'react' && path.startsWith('packages/client/src/react/'));
    expect(violations(client, foreign)).toEqual([]);
    const named = client.filter(({ text }) => /\b(?:process|Buffer|require|__dirname)\b\s*[.(]/.test(codeOf(text)));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  it('have a console that speaks to the service through the client only', () => {
    const foreign = (specifier: string) =>
      !isRelative(specifier) &&
      !/^(?:@baobab\/client(?:\/(?:admin|live))?|react(?:-dom)?(?:\/.*)?|@base-ui\/react\/.*|@(?:codemirror|lezer)\/.*|@tanstack\/react-query|lucide-react)$/.test(
        specifier,
      );
    expect(violations(consoleSources, foreign)).toEqual([]);
    const markup = /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\bfetch\(/;
    expect(consoleSources.filter(({ text }) => markup.test(codeOf(text))).map(({ path }) => path)).toEqual([]);
  });

  it('have examples that are written as the apps of others are', () => {
    const foreign = (specifier: string) =>
      !isRelative(specifier) && !/^(?:@baobab\/client(?:\/\w+)?|react(?:-dom\/client)?|vite)$/.test(specifier);
    expect(violations(examples, foreign)).toEqual([]);
    expect(examples.filter(({ text }) => /\bfetch\(|innerHTML/i.test(codeOf(text))).map(({ path }) => path)).toEqual(
      [],
    );
  });

  it('have extensions that use the public modules only', () => {
    const foreign = (specifier: string) =>
      !/^(?:\.|node:|@baobab\/(?:client(?:\/\w+)?|server\/(?:extensions|testing))$)/.test(specifier);
    expect(extensions.length).toBeGreaterThan(2);
    expect(violations(extensions, foreign)).toEqual([]);
  });

  it('send SQL as text in one place only', () => {
    const calls = [...adapters, ...server].flatMap(({ path, text }) =>
      Array.from(codeOf(text).matchAll(/\.unsafe\b/g), () => path),
    );
    expect(calls).toEqual(['packages/adapters/src/postgres/send.ts']);
  });

  it('name adapters and the container only in the composition and for tests', () => {
    const foreign = (specifier: string, path: string) =>
      /^(?:@baobab\/adapters|inversify)/.test(specifier) &&
      !path.startsWith('packages/server/src/composition/') &&
      path !== 'packages/server/src/testing.ts';
    expect(violations(server, foreign)).toEqual([]);
  });

  it('have routes that know use cases, not stores', () => {
    const routes = http.filter(({ path }) => path.includes('/routes/') && !path.endsWith('/health.ts'));
    expect(routes.filter(({ text }) => /\bstorage\b/.test(codeOf(text))).map(({ path }) => path)).toEqual([]);
  });

  it('import nothing outside their folders', () => {
    const leaves = (specifier: string, path: string) =>
      isRelative(specifier) && !join(path, '..', specifier).startsWith(path.split('/').slice(0, 3).join('/'));
    expect(
      violations(
        [...core, ...adapters, ...contracts, ...http, ...server, ...client, ...consoleSources, ...examples],
        leaves,
      ),
    ).toEqual([]);
  });

  it('read the environment only where a program begins', () => {
    const readers = [...core, ...adapters, ...contracts, ...http, ...server].filter(({ text }) =>
      /\bprocess\.env\b/.test(codeOf(text)),
    );
    expect(readers.map(({ path }) => path)).toEqual([
      'packages/server/src/commands.ts',
      'packages/server/src/program.ts',
    ]);
  });
});

/** The folder below `src` that a source is in, at the first level; null for a source in `src` itself. */
const folderOf = (path: string): string | null => /^packages\/\w+\/src\/([^/]+)\//.exec(path)?.[1] ?? null;

/** By folder: the other folders of the package whose sources its own import. */
function folderImports(sources: readonly Source[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, imports } of sources) {
    const folder = folderOf(path);
    for (const specifier of imports.filter(isRelative)) {
      const target = folderOf(join(path, '..', specifier));
      if (folder === null || target === null || target === folder) continue;
      found.set(folder, (found.get(folder) ?? new Set()).add(target));
    }
  }
  return found;
}

/** Pairs of folders each of which reaches the other. */
function cyclesIn(sources: readonly Source[]): string[] {
  const direct = folderImports(sources);
  const reach = (from: string, seen = new Set<string>()): Set<string> => {
    for (const next of direct.get(from) ?? []) {
      if (!seen.has(next)) reach(next, seen.add(next));
    }
    return seen;
  };
  return [...direct.keys()].flatMap((one) =>
    [...reach(one)].filter((other) => one < other && reach(other).has(one)).map((other) => `${one} <-> ${other}`),
  );
}

describe('the folders of a package', () => {
  it.each([
    ['core', core],
    ['adapters', adapters],
    ['contracts', contracts],
    ['http', http],
    ['server', server],
    ['client', client],
    ['console', consoleSources],
  ])('import each other in one direction only, in %s', (_name, sources) => {
    expect(cyclesIn(sources)).toEqual([]);
  });
});

describe('every source', () => {
  it(`has at most ${MAX_LINES} lines`, () => {
    const long = [
      ...core,
      ...adapters,
      ...contracts,
      ...http,
      ...server,
      ...client,
      ...consoleSources,
      ...examples,
      ...tests,
    ].filter(({ text }) => text.split('\n').length > MAX_LINES + 1);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('of a package contains no `any` and does not disable checks', () => {
    const lax = /(?:[:<,|&(]|\bas|=>)\s*any\b(?!\w|\s*[(:])|@ts-(?:ignore|nocheck|expect-error)|biome-ignore/;
    const sources = [...core, ...adapters, ...contracts, ...http, ...server, ...client, ...consoleSources, ...examples];
    const found = sources.filter(
      ({ text }) => lax.test(codeOf(text)) || /@ts-(?:ignore|nocheck)|biome-ignore/.test(text),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  it('imports built-in modules of Node with the `node:` prefix', () => {
    const bare = (specifier: string) => isNode(specifier) && !specifier.startsWith('node:');
    expect(violations([...core, ...adapters, ...contracts, ...http, ...server, ...tests], bare)).toEqual([]);
  });
});
