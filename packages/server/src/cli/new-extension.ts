import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { CommandDeps } from './deps.ts';
import { UsageError } from './usage-error.ts';

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

const MODULE = `import { defineExtension, refuse } from '@baobab/server/extensions';

/** Types of the app's documents. \`baobab types\` writes them from the schemas of the collections. */
interface App {
  collections: { notes: { text: string; words?: number } };
}

export default defineExtension<App>((app) => {
  const settings = app.settings({
    maxWords: { default: 100, description: 'Maximum number of words in a note', isProtected: false, min: 1 },
  });

  // Runs before a note is stored. It may change the content, or refuse the write.
  app.before('document.create', { collection: 'notes' }, async ({ content }) => {
    const words = content.text.split(/\\s+/).filter((word) => word !== '').length;
    const { maxWords } = await settings.current();
    if (words > maxWords) throw refuse(\`A note has at most \${maxWords} words\`, { code: 'note.too_long' });
    content.words = words;
  });

  app.route('GET', '/ext/notes/count', {}, async ({ data }) => ({
    notes: await data.collection('notes').query().count(),
  }));
});
`;

const testOf = (name: string) => `import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createClient } from '@baobab/client';
import { createAdminClient } from '@baobab/client/admin';
import { createTestBackend } from '@baobab/server/testing';
import extension from './${name}.ts';

// A complete server in memory, on a free port.
const backend = await createTestBackend({ extensions: [extension] });
const url = await backend.app.listen({ port: 0, host: '127.0.0.1' });
const admin = createAdminClient({ url, appCode: backend.appCode });
const ann = createClient({ url, appCode: backend.appCode });
after(async () => {
  admin.close();
  ann.close();
  await backend.close();
});

await admin.auth.login({ username: 'admin', password: backend.adminPassword });
await admin.admin.collections.create('notes');
await ann.auth.signUp({ username: 'ann', password: 'a password' });

test('counts the words of a note', async () => {
  const note = await ann.collection('notes').create({ text: 'three short words' });
  assert.equal(note.words, 3);
});

test('refuses a note with too many words', async () => {
  const text = 'word '.repeat(101);
  await assert.rejects(ann.collection('notes').create({ text }), { code: 'note.too_long' });
});

test('counts the notes of the caller', async () => {
  const headers = { 'X-BB-SESSION': ann.auth.session?.token ?? '' };
  const response = await fetch(\`\${url}/ext/notes/count\`, { headers });
  const { data } = (await response.json()) as { data: { notes: number } };
  assert.deepEqual(data, { notes: 1 });
});
`;

const TYPES = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
  },
};

const manifestOf = (name: string) => ({
  name,
  private: true,
  type: 'module',
  scripts: { test: 'node --test', types: 'tsc' },
  devDependencies: { '@types/node': '^24.0.0', typescript: '>=5.8' },
});

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

/** Writes an extension with a test. @throws `UsageError` for an invalid name, or if the folder exists */
export function newExtension({ host, output }: CommandDeps, given: string): void {
  const folder = resolve(host.cwd(), given);
  const name = basename(folder);
  if (!NAME.test(name)) throw new UsageError(`"${name}": a name is up to 64 lower-case letters, digits and "-"`);
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      throw new UsageError(`${folder} exists already`);
    }
    throw error;
  }
  const files = {
    [`${name}.ts`]: MODULE,
    [`${name}.test.ts`]: testOf(name),
    'package.json': json(manifestOf(name)),
    'tsconfig.json': json(TYPES),
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const shown = relative(host.cwd(), folder);
  const lines = [
    `The extension is in ${shown}. Test it, and start the server with it:`,
    `  cd ${shown} && node --test`,
    `  EXTENSIONS=${join(shown, `${name}.ts`)} baobab serve --watch`,
    '"npm install" in the folder adds the types of Node for an editor.',
  ];
  output.result(lines.join('\n'), { folder, files: Object.keys(files) });
}
