import { type CheckContext, type Finding, fault, ok, skipped } from './check.ts';

/** Loads the extensions as a start does, without running their functions. */
export async function checkExtensions({ config, logger }: CheckContext): Promise<Finding> {
  const { extensions } = config;
  if (extensions.length === 0) return skipped('EXTENSIONS names no modules');
  try {
    const { loadAll } = await import('../composition/extensions.ts');
    await (await loadAll(config, logger)).close();
    const count = extensions.length === 1 ? 'The extension loads' : `All ${extensions.length} extensions load`;
    return ok(`${count} (Node ${process.versions.node})`);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ExtensionError') throw error;
    return fault(error.message, 'Correct the module, or remove it from EXTENSIONS');
  }
}
