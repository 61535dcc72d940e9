import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { basename, dirname, extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ExtensionError, type NamedExtension } from './extension-error.ts';
import { messageOf } from './failures.ts';
import type { Extension } from './types.ts';

/** Modules that extensions import from this program, wherever their own files are. */
const OURS = /^@baobab\/(?:server\/extensions|client(?:\/[\w-]+)?)$/;

const isExtension = (value: unknown): value is Extension =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'baobab-extension';

/** Returns the first place in the operator's files that a stack names, as `path:line`; null if there is none. */
function placeIn(stack: string): string | null {
  for (const [, url, path, line] of stack.matchAll(/(?:(file:\/\/[^\s()]+)|^(\/.+)):(\d+)(?=:\d+\)?$|$)/gm)) {
    const file = url === undefined ? path : fileURLToPath(url);
    if (file !== undefined && !file.includes('/node_modules/') && !file.startsWith(import.meta.dirname)) {
      return `${file}:${line}`;
    }
  }
  return null;
}

/**
 * Returns the place of a syntax error in JavaScript, as `path:line`. Only a process that ends because of the error
 * prints it. A module with a syntax error does not run.
 */
function placeOfSyntaxError(error: Error, path: string): string | null {
  if (error.name !== 'SyntaxError') return null;
  const script = `import ${JSON.stringify(pathToFileURL(path).href)}`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return placeIn(stderr);
}

/** Returns the line on which a module imports a missing one, as `path:line`; null for other errors. */
async function placeOfImport({ message }: Error): Promise<string | null> {
  const [, missing, importer] = /^Cannot find (?:module|package) '([^']+)' imported from (.+)$/.exec(message) ?? [];
  // The program itself imports the module that EXTENSIONS names.
  if (missing === undefined || importer === undefined || importer.startsWith(import.meta.dirname)) return null;
  const text = await readFile(importer, 'utf8').catch(() => '');
  const at = text.split('\n').findIndex((line) => /['"]/.test(line) && line.includes(basename(missing)));
  return at === -1 ? importer : `${importer}:${at + 1}`;
}

/** Returns an error that names the file and the line of a failure to load. */
export async function loadError(error: unknown, path: string): Promise<ExtensionError> {
  if (!(error instanceof Error)) return new ExtensionError(path, messageOf(error), error);
  const place = (await placeOfImport(error)) ?? placeIn(error.stack ?? '') ?? placeOfSyntaxError(error, path) ?? path;
  return new ExtensionError(place, error.message, error);
}

/** Called with each folder from which modules of extensions are loaded. */
export type FolderReport = (folder: string) => void;

/**
 * Lets modules outside of the program's folder, which have no `node_modules`, import the modules of the program.
 *
 * @param entries URLs of the modules that EXTENSIONS names
 */
function serveOwnModules(entries: readonly string[], report: FolderReport | null): void {
  const loaded = new Set(entries);
  registerHooks({
    resolve(specifier, context, next) {
      if (OURS.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url });
      const resolved = next(specifier, context);
      const isOfExtension = report !== null && loaded.has(context.parentURL ?? '');
      if (isOfExtension && resolved.url.startsWith('file:') && !resolved.url.includes('/node_modules/')) {
        loaded.add(resolved.url);
        report(dirname(fileURLToPath(resolved.url)));
      }
      return resolved;
    },
  });
}

/**
 * Loads the modules of extensions.
 *
 * @param paths relative to `folder`
 * @param report null if nobody watches the modules
 * @throws `ExtensionError` with the file and the line
 */
export async function loadExtensions(
  paths: readonly string[],
  folder: string,
  report: FolderReport | null = null,
): Promise<NamedExtension[]> {
  const files = paths.map((path) => resolve(folder, path));
  for (const file of files) report?.(dirname(file));
  serveOwnModules(
    files.map((file) => pathToFileURL(file).href),
    report,
  );
  const loaded: NamedExtension[] = [];
  for (const file of files) {
    let module: { readonly default?: unknown };
    try {
      module = await import(pathToFileURL(file).href);
    } catch (error) {
      throw await loadError(error, file);
    }
    if (!isExtension(module.default)) {
      throw new ExtensionError(file, 'its default export must be the result of defineExtension(…)', null);
    }
    loaded.push({ name: basename(file, extname(file)), path: file, extension: module.default });
  }
  return loaded;
}
