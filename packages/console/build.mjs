// Builds the page at /console into dist/site, with its compressed forms and the licences of the libraries in it.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const FOLDER = dirname(fileURLToPath(import.meta.url));
const OUTPUT = join(FOLDER, 'dist/site');
const TEMPORARY = `${OUTPUT}.${process.pid}`;
const LIBRARIES = ['react', 'react-dom', 'scheduler'];

const require = createRequire(import.meta.url);

function licenseOf(name) {
  const folder = dirname(require.resolve(`${name}/package.json`));
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}`;
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
await build({
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
for (const name of readdirSync(assets)) compress(join(assets, name));
writeFileSync(join(TEMPORARY, 'LICENSES.txt'), `${LIBRARIES.map(licenseOf).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
rmSync(OUTPUT, { recursive: true, force: true });
try {
  renameSync(TEMPORARY, OUTPUT);
} catch (error) {
  // Another process has built it meanwhile.
  if (!existsSync(join(OUTPUT, 'index.html'))) throw error;
}
