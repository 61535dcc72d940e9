// Builds the page at /console into dist/site, with its compressed forms and the licences of the libraries in it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const OUTPUT = join(FOLDER, 'dist/site');
const TEMPORARY = `${OUTPUT}.${process.pid}`;
/** The font is named in a style sheet, so no script imports it. */
const FONT = join(FOLDER, '../../node_modules/@fontsource-variable/inter');

/** Returns the folders of the libraries that the scripts contain. */
function librariesIn({ output }) {
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  const folders = modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replace(/^\0/, ''))?.[0]);
  return [...new Set([...folders.filter((folder) => folder !== undefined), FONT])].sort();
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^license(?:\.(?:md|txt))?$/i.test(one));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}`.trim();
}

/** Compressed once here instead of for each request. */
function compress(path) {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}

process.on('exit', () => rmSync(TEMPORARY, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

// Tests have another value, with which React would be its development build, three times as large.
process.env.NODE_ENV = 'production';
mkdirSync(dirname(OUTPUT), { recursive: true });
const built = await build({
  root: FOLDER,
  configFile: false,
  envFile: false,
  logLevel: 'error',
  base: './', // relative, so that it works below a path prefix of a proxy
  html: { cspNonce: '__CSP_NONCE__' }, // the server replaces it at each visit
  resolve: { conditions: ['source', 'module', 'browser', 'production'] },
  build: {
    outDir: TEMPORARY,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
const assets = join(TEMPORARY, 'assets');
// Fonts are compressed already.
for (const name of readdirSync(assets)) if (!name.endsWith('.woff2')) compress(join(assets, name));
writeFileSync(
  join(TEMPORARY, 'LICENSES.txt'),
  `${librariesIn(built)
    .map(licenseOf)
    .join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
);
rmSync(OUTPUT, { recursive: true, force: true });
try {
  renameSync(TEMPORARY, OUTPUT);
} catch (error) {
  // Another process has built it meanwhile.
  if (!existsSync(join(OUTPUT, 'index.html'))) throw error;
}
