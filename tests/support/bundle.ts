import { rolldown } from 'rolldown';

const ALL = "export * from '@baobab/client';";
const ENTRY = 'entry.js';

/** Bundles a module for a page: `text` with all used parts of the client, minified. */
export async function bundleClient(text = ALL, external: readonly string[] = []): Promise<string> {
  const bundle = await rolldown({
    input: ENTRY,
    external: [...external],
    cwd: import.meta.dirname,
    platform: 'browser',
    resolve: { conditionNames: ['source'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? `${import.meta.dirname}/${ENTRY}` : null),
        load: (id) => (id.endsWith(`/${ENTRY}`) ? text : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}
