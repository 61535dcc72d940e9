// Bundles the program into few files (docs/adr/0031-one-process-by-default.md). Run by `npm run build`.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const OUTPUT = join(ROOT, 'packages/server/dist/bundle');
const source = (path) => join(ROOT, 'packages', path);

/** The two entry points of the program, and the files that it starts as threads. */
const ENTRIES = {
  program: source('server/src/program.ts'),
  commands: source('server/src/commands.ts'),
  'sharp-process': source('adapters/src/images/sharp-process.ts'),
  'wasm-worker': source('adapters/src/images/wasm-worker.ts'),
  'password-worker': source('adapters/src/zxcvbn/password-worker.ts'),
  'search-thread': source('adapters/src/sqlite/search-thread.ts'),
};

/**
 * Packages excluded from the bundle: those with files other than code (binaries, WebAssembly, pages, threads), and
 * those that few processes load. The manifest of the server lists them as dependencies.
 */
const OUTSIDE = [
  '@aws-sdk/client-s3',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  '@fastify/static',
  '@fastify/swagger',
  '@fastify/swagger-ui',
  '@jimp/core',
  '@jimp/js-gif',
  '@jimp/wasm-avif',
  '@jimp/wasm-jpeg',
  '@jimp/wasm-png',
  '@jimp/wasm-webp',
  '@jsquash/jpeg',
  '@jsquash/png',
  '@jsquash/webp',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@simplewebauthn/server',
  '@zxcvbn-ts/core',
  '@zxcvbn-ts/language-common',
  'ajv-formats',
  'argon2',
  'file-type',
  'gifenc',
  'jimp',
  'jose',
  'light-my-request',
  'nodemailer',
  'pino-pretty',
  'prom-client',
  're2js',
  'tar-stream',
  'undici',
];
const packageOf = (specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];

/**
 * Loads Node's modules without `import`, which would read every export of a module. Some exports load a library when
 * read: `WebSocket` of `node:http` loads undici.
 */
const builtins = {
  name: 'builtins',
  resolveId(specifier, importer, { kind }) {
    const name = specifier.replace(/^node:/, '');
    const isBuiltin = specifier.startsWith('node:') || builtinModules.includes(name);
    if (!isBuiltin || importer.startsWith('\0')) return null;
    // A separate module for each importer, so that none is loaded before it is needed.
    const id = `\0${kind === 'require-call' ? 'required' : 'imported'}:node:${name}?${relative(ROOT, importer)}`;
    return { id, moduleSideEffects: false };
  },
  load(id) {
    const [, how, name] = /^\0(required|imported):([^?]*)/.exec(id) ?? [];
    if (name === undefined) return null;
    const value = `process.getBuiltinModule('${name}')`;
    if (how === 'required') return { code: `module.exports = ${value};`, moduleType: 'js' };
    const names = Object.keys(process.getBuiltinModule(name)).filter((key) => /^\w+$/.test(key) && key !== 'default');
    const exported = names.map((key) => `export const ${key} = /* @__PURE__ */ $read('${key}');`);
    const code = `const $builtin = ${value};\nconst $read = (key) => $builtin[key];\nexport default $builtin;\n`;
    return { code: code + exported.join('\n'), moduleType: 'js' };
  },
};

/** Makes lazily loaded modules visible to the bundler, by a synchronous `require`. */
const required = {
  name: 'required',
  transform: {
    filter: { id: /\/packages\/\w+\/src\/.*\.ts$/, code: 'createRequire' },
    handler: (code) => ({
      code: code
        .replace(/^const require = createRequire\(import\.meta\.url\);$/m, '')
        .replaceAll('createRequire(import.meta.url)(', 'require('),
      map: null, // line numbers do not change
    }),
  },
};

/** Returns the folders of the bundled packages, by name. */
function packagesOf(chunks) {
  const found = new Map();
  for (const id of chunks.flatMap(({ moduleIds }) => moduleIds)) {
    const [, folder, name] = /^([^\0]*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(id) ?? [];
    if (name !== undefined) found.set(folder, name);
  }
  return [...found].sort(([, a], [, b]) => (a < b ? -1 : 1));
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(?:un)?licence|^(?:un)?license|^copying|^notice/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push('The package has no file with its licence; its manifest names it.');
  return [`${name} ${version} (${license})`, ...texts].join('\n\n');
}

const bundle = await rolldown({
  cwd: ROOT,
  input: ENTRIES,
  platform: 'node',
  resolve: { conditionNames: ['source', 'node', 'import', 'default'] },
  external: (specifier) => OUTSIDE.includes(packageOf(specifier)),
  // Optional native parts of `ws`, which are not shipped.
  transform: { define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' } },
  plugins: [builtins, required],
});
const { output } = await bundle.generate({
  dir: OUTPUT, // base of the paths in source maps
  format: 'esm',
  sourcemap: true,
  // V8 keeps the text of each file. A single character beyond Latin-1 makes every character take two bytes.
  charset: 'ascii',
  comments: false, // licence comments are in LICENSES.txt
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
const temporary = `${OUTPUT}.${process.pid}`;
rmSync(temporary, { recursive: true, force: true });
mkdirSync(temporary, { recursive: true });
for (const file of output) writeFileSync(join(temporary, file.fileName), file.code ?? file.source);
// A server that runs during an upgrade loads some chunks of its build, the one before, when it first needs them.
const list = 'files.json';
const built = output.map(({ fileName }) => fileName);
const previous = existsSync(join(OUTPUT, list)) ? JSON.parse(readFileSync(join(OUTPUT, list), 'utf8')) : [];
for (const name of previous)
  if (!built.includes(name) && existsSync(join(OUTPUT, name))) renameSync(join(OUTPUT, name), join(temporary, name));
writeFileSync(join(temporary, list), JSON.stringify(built));
const chunks = output.filter(({ type }) => type === 'chunk');
const licenses = packagesOf(chunks).map(([folder]) => licenseOf(folder));
writeFileSync(join(temporary, 'LICENSES.txt'), `${licenses.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`);
if (existsSync(OUTPUT)) rmSync(OUTPUT, { recursive: true });
renameSync(temporary, OUTPUT);
if (process.argv.includes('--list'))
  for (const { fileName, code, moduleIds } of chunks) console.log(fileName, code.length, moduleIds.length);
