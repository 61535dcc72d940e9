import { createSchemaCompiler } from '@baobab/adapters/json-schema';
import { createGuardedFetch, type GuardedFetch } from '@baobab/adapters/outbound';
import type { Logger } from '@baobab/core';
import type { Config } from '../config.ts';
import type { NamedExtension } from '../extensions/extension-error.ts';
import { createExtensions, type Extensions } from '../extensions/extensions.ts';
import { type FolderReport, loadExtensions } from '../extensions/load.ts';

/** Collects the declarations of extensions, with the adapters that they use. @throws `ExtensionError` */
export async function composeExtensions(
  extensions: readonly NamedExtension[],
  { proxies, appCode }: Pick<Config, 'proxies' | 'appCode'>,
  logger: Logger,
): Promise<Extensions> {
  const guarded = (allowsPrivate: boolean) => createGuardedFetch({ allowsPrivate, proxies, variable: 'allowPrivate' });
  const fetches: Record<'public' | 'any', GuardedFetch> = { public: guarded(false), any: guarded(true) };
  return createExtensions({
    extensions,
    logger,
    appCode,
    adapters: {
      schemaCompiler: createSchemaCompiler(),
      fetch: (url, { allowPrivate = false, ...init }) => fetches[allowPrivate ? 'any' : 'public'].fetch(url, init),
      async close() {
        await Promise.all(Object.values(fetches).map((one) => one.close()));
      },
    },
  });
}

/**
 * Loads the extensions of the configuration.
 *
 * @param report null if nobody watches the modules
 * @throws `ExtensionError`
 */
export async function loadAll(config: Config, logger: Logger, report: FolderReport | null = null): Promise<Extensions> {
  return composeExtensions(await loadExtensions(config.extensions, process.cwd(), report), config, logger);
}
