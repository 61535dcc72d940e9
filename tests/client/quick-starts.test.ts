import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SessionStorage } from '@baobab/client';
import { createTestBackend } from '@baobab/server/testing';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import { createWorld } from '../support/backend.ts';
import { createFolder } from '../support/databases.ts';
import { fences } from '../support/fences.ts';
import { INSIDE } from '../support/leftovers.ts';
import { allDocuments, readDocument } from '../support/markdown.ts';
import { openSocket } from '../support/sockets.ts';
import { BUNDLED, typeProblems } from '../support/type-check.ts';

const ADDRESS = 'http://localhost:9000';

/** The types of modules that are not installed here, as far as the pages use them. */
const ELSEWHERE = `
declare module 'expo-sqlite' {
  interface SQLiteRunResult { lastInsertRowId: number; changes: number }
  class SQLiteDatabase {
    readonly databasePath: string;
    execAsync(source: string): Promise<void>;
    runAsync(source: string, params: (string | number | null)[]): Promise<SQLiteRunResult>;
    getAllAsync<T>(source: string, params: (string | number | null)[]): Promise<T[]>;
    withExclusiveTransactionAsync(task: (txn: SQLiteDatabase) => Promise<void>): Promise<void>;
    closeAsync(): Promise<void>;
  }
  export function openDatabaseAsync(databaseName: string, options?: object, directory?: string): Promise<SQLiteDatabase>;
}
declare module 'expo-sqlite/kv-store' {
  const storage: {
    getItem(key: string): Promise<string | null>;
    setItem(key: string, value: string | ((previous: string | null) => string)): Promise<void>;
    removeItem(key: string): Promise<boolean>;
  };
  export default storage;
}
/** Of Svelte. */
declare function $props(): never;
declare function $state<T>(value: T): T;
declare module 'next/headers' {
  export function cookies(): Promise<{ get(name: string): { readonly value: string } | undefined }>;
}
declare module 'vue' {
  interface Ref<T> { value: T }
  export function ref<T>(value: T): Ref<T>;
  export function shallowRef<T>(value: T): Ref<T>;
  export function onScopeDispose(dispose: () => void): void;
}
declare module 'react-native' {
  import type { ReactElement, ReactNode } from 'react';
  type View<P> = (properties: P & { children?: ReactNode }) => ReactElement;
  export const Text: View<object>;
  export const View: View<{ style?: { padding?: number } }>;
  export const Button: View<{ title: string; onPress: () => unknown }>;
  export const TextInput: View<{
    placeholder?: string;
    autoCapitalize?: 'none';
    secureTextEntry?: boolean;
    onChangeText: (text: string) => void;
  }>;
  export function FlatList<T>(properties: {
    data: readonly T[];
    keyExtractor: (item: T) => string;
    renderItem: (of: { item: T }) => ReactElement;
  }): ReactElement;
}
`;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Finds the names that the markup of a component uses, in Svelte and in Vue. */
const USED = {
  svelte: /\{\$?(\w+)\}|=\{(\w+)\}/g,
  vue: /(?:v-model|v-if|@[\w.]+)="(\w+)|(?: in |\{\{ )(\w+)(?="| \}\})/g,
};

/** The files that a page has its reader save; the script of a component of Svelte or Vue is a file of its own. */
function filesOf(page: string): Array<readonly [name: string, text: string]> {
  const path = page.includes('/') ? `docs/${page}.md` : `docs/start-${page}.md`;
  return fences(readDocument(path)).flatMap(({ info, text }) => {
    if (info === 'svelte' || info === 'vue') {
      const [, script = ''] = /<script (?:setup )?lang="ts">\n([\s\S]*?)<\/script>/.exec(text) ?? [];
      const markup = text.replace(/<script[\s\S]*?<\/script>/, '');
      const used = [...new Set(Array.from(markup.matchAll(USED[info]), ([, a, b]) => a ?? b))];
      return [['component.ts', `${script.replaceAll('../lib/', './')}\nexport const used = [${used.join(', ')}];\n`]];
    }
    const [, name] = /^tsx? (\S+)$/.exec(info) ?? [];
    return name === undefined ? [] : [[name, text.replaceAll('../lib/', './')]];
  });
}

/** Saves the files inside the project, so that the packages are found. */
function save(files: ReadonlyArray<readonly [string, string]>): string[] {
  const { path: folder, remove } = createFolder(INSIDE);
  cleanups.push(remove);
  return files.map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
}

it.each(['javascript', 'react', 'nextjs', 'sveltekit', 'vue', 'expo', 'recipes/server-rendering'])(
  'has code that compiles: %s',
  (page) => {
    const files = filesOf(page);
    expect(files.length).toBeGreaterThan(0);
    expect(typeProblems(save([...files, ['elsewhere.d.ts', ELSEWHERE]]), BUNDLED)).toEqual([]);
  },
);

/** The code of a page that uses a client. */
const clientCode = (path: string) =>
  fences(readDocument(path))
    .filter(({ info }) => info === 'ts client')
    .map(({ text }) => text)
    .join('');

it('has calls of the client that compile, on each page about a feature', () => {
  const pages = allDocuments().filter((path) => clientCode(path) !== '');
  expect(pages.length).toBeGreaterThan(8);
  const head =
    "import * as client from '@baobab/client';\nconst baobab = client.createClient({ url: '', appCode: '' });\n";
  const files = pages.map((path, index) => [`page-${index}.ts`, `${head}${clientCode(path)}`] as const);
  expect(typeProblems(save(files))).toEqual([]);
});

/** Starts a service with a collection, and the browser of a user with a note, whose session is in a cookie. */
async function openNotes() {
  const backend = await createTestBackend({ appCode: '1234567890' });
  cleanups.push(() => backend.close());
  const { call, admin } = createWorld(backend);
  await call('POST', '/admin/collection/notes', { token: await admin() });
  const url = `http://localhost:${await openSocket(backend.app)}`;
  let session = '';
  const storage: SessionStorage = {
    getItem: () => null,
    setItem(key, value) {
      if (key === 'session') session = value;
    },
    removeItem: () => undefined,
  };
  const baobab = createClient({ url, appCode: '1234567890', storage, storageKey: 'session' });
  cleanups.push(() => baobab.close());
  await baobab.auth.signUp({ username: 'ann', password: 'secret' });
  await baobab.collection('notes').create({ title: 'Milk' });
  return { url, baobab, cookie: () => session };
}

it('reads rows on the server with the session of a cookie, and none without', async () => {
  const { url, baobab, cookie } = await openNotes();
  const saved = save(
    filesOf('recipes/server-rendering').map(([name, text]) => [name, text.replace(ADDRESS, url)] as const),
  );
  const { notesOf } = await import(saved.find((file) => file.endsWith('notes-on-server.ts')) ?? '');
  expect(await notesOf(cookie())).toMatchObject([{ title: 'Milk' }]);
  expect(await notesOf(undefined)).toEqual([]);
  expect(await notesOf('{"not":"a session"}')).toEqual([]);
  await baobab.auth.logout();
  expect(await notesOf(cookie())).toEqual([]);
});

it('renders a Next.js page as the user of the request, by the session of its cookie', async () => {
  const { url, baobab, cookie } = await openNotes();
  let sent: string | undefined;
  vi.stubGlobal('cookieOfRequest', () => sent);
  cleanups.push(() => vi.unstubAllGlobals());
  const headers = `export const cookies = async () => ({ get: () => ({ value: globalThis.cookieOfRequest() }) });`;
  const files = filesOf('nextjs').map(
    ([name, text]) => [name, text.replace(ADDRESS, url).replace('next/headers', './headers')] as const,
  );
  const saved = save([...files, ['headers.ts', headers]]);
  const { default: Page } = await import(saved.find((file) => file.endsWith('page.tsx')) ?? '');
  const rendered = async () => renderToStaticMarkup(await Page());
  expect(await rendered()).not.toContain('<p>Notes');
  sent = cookie();
  expect(await rendered()).toContain('<p>Notes at the last request: 1</p>');
  await baobab.auth.logout();
  expect(await rendered()).not.toContain('<p>Notes');
});

it('has the same cookie on each page about servers', () => {
  const [one, other] = ['nextjs', 'recipes/server-rendering'].map(
    (page) => Object.fromEntries(filesOf(page))['cookie.ts'],
  );
  expect(one).toContain('browserCookie');
  expect(one).toBe(other);
});
