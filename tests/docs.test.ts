import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { smtpMailer } from '@baobab/adapters/smtp';
import { createSystemClock } from '@baobab/adapters/system';
import { defineSettings, ERRORS, type ErrorCode } from '@baobab/core';
import { parseConfig, VARIABLES } from '@baobab/server';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BB_CODES } from '../packages/http/src/errors/errors.ts';
import { statusOf } from '../packages/http/src/errors/statuses.ts';
import { networkAdapters } from '../packages/server/src/composition/networks.ts';
import { outboundIn } from '../packages/server/src/composition/outbound.ts';
import { pushAdapters } from '../packages/server/src/composition/push.ts';
import { leadsTo, linksOf } from './support/links.ts';
import { allDocuments, asCode, codesIn, readDocument, tableRows } from './support/markdown.ts';
import { contractSuites, SUITES } from './support/suites.ts';

interface Served extends Pick<RouteOptions, 'url' | 'schema' | 'config'> {
  readonly method: string;
}

const keyOf = ({ method, url }: Served) => `${method} ${url}`;

/** Every route of a backend, as registered. `HEAD` comes with every `GET`. */
async function registered(backend: TestBackend): Promise<Served[]> {
  const routes: Served[] = [];
  // Plugins register their routes when the application becomes ready, not before.
  backend.app.addHook('onRoute', ({ url, method, schema, config }) => {
    for (const one of [method].flat()) {
      if (one !== 'HEAD' && one !== 'OPTIONS') {
        routes.push({ method: one, url, ...(schema && { schema }), ...(config && { config }) });
      }
    }
  });
  await backend.app.ready();
  return routes;
}

/** The callers of a route, in the words of the documents. */
function callers({ url, config }: Served): string {
  const { access = 'user', appCode, ignoresOldCredentials } = (config ?? {}) as Readonly<Record<string, string>>;
  if (appCode === 'unneeded' && ignoresOldCredentials === 'session') return 'public';
  return access === 'user' && url.startsWith('/admin/') ? 'admin' : access;
}

/** The settings that the service's adapters register. */
function adapterSettings() {
  const clock = createSystemClock();
  const networks = networkAdapters({}, { clock, outbound: outboundIn(parseConfig({})) });
  const services = pushAdapters({ fcm: null, apns: null }, { clock, proxies: null });
  return [smtpMailer(), ...Object.values(networks), ...Object.values(services)].map(({ settings }) => settings);
}

describe('the documents', () => {
  let backend: TestBackend;
  let routes: Served[];

  beforeAll(async () => {
    backend = await createTestBackend();
    routes = await registered(backend);
  });
  afterAll(() => backend.close());

  it('list every variable with its default and meaning', () => {
    const expected = Object.entries(VARIABLES).map(([name, { default: initial, description }]) => [
      asCode(name),
      asCode(String(initial ?? '')),
      description,
    ]);
    expect(tableRows(readDocument('docs/configuration.md'))).toEqual(expected);
  });

  it('list every variable with its meaning and default in .env.example', () => {
    const [, ...blocks] = readDocument('.env.example').trimEnd().split('\n\n');
    const expected = Object.entries(VARIABLES).map(
      ([name, { default: initial, description }]) => `# ${description}\n#${name}=${initial ?? ''}`,
    );
    expect(blocks).toEqual(expected);
    const set = blocks.map((block) => block.slice(block.indexOf('\n#') + 2).split('=') as [string, string]);
    expect(parseConfig(Object.fromEntries(set))).toEqual(parseConfig({}));
  });

  it('list every failure with its status, bb_code and message', () => {
    const codes = (Object.keys(ERRORS) as ErrorCode[]).sort();
    const expected = codes.map((code) => [
      asCode(code),
      String(statusOf(code)),
      asCode(BB_CODES[code] ?? ''),
      ERRORS[code],
    ]);
    expect(tableRows(readDocument('docs/errors.md'), 'Failures of the service')).toEqual(expected);
  });

  it('list where a route answers with another status', () => {
    const differing = routes.flatMap((route) =>
      Object.entries(route.config?.status ?? {}).map(([code, status]) => [
        asCode(keyOf(route)),
        asCode(code),
        String(status),
      ]),
    );
    const listed = tableRows(readDocument('docs/errors.md'), 'Where a route answers differently');
    expect(listed.map(String).sort()).toEqual(differing.map(String).sort());
  });

  it('list every setting with its type, default, protection and meaning', () => {
    const text = readDocument('docs/settings.md');
    for (const [section, settings] of Object.entries(defineSettings(adapterSettings()))) {
      const expected = settings.map(({ key, type, initial, isProtected, expected: must, description }) => [
        asCode(key),
        type,
        type === 'Text' ? 'template' : asCode(String(initial)),
        isProtected ? 'yes' : 'no',
        must,
        description,
      ]);
      expect(tableRows(text, section)).toEqual(expected);
    }
  });

  it('list every route, and its callers', () => {
    const pages = allDocuments().filter((path) => /^docs\/api(?:-[a-z]+)?\.md$/.test(path));
    const rows = pages.flatMap((path) => tableRows(readDocument(path)));
    const listed = rows.flatMap(([paths = '', who = '']) => codesIn(paths).map((path) => `${path} (${who})`));
    const isRoute = (line: string) => /^(?:GET|POST|PUT|DELETE|PATCH) \//.test(line);
    expect(listed.filter(isRoute).sort()).toEqual(routes.map((route) => `${keyOf(route)} (${callers(route)})`).sort());
  });

  it('list every contract suite and its subject', async () => {
    const names = contractSuites();
    const rows = tableRows(readDocument('docs/writing-an-adapter.md'), 'The suites');
    const listed = rows.map(([from = '', suite = '']) => `${codesIn(from)} ${codesIn(suite)}`);
    const exported = await Promise.all(
      names.map(async (name) => {
        const suites = Object.keys(await import(`@baobab/contracts/${name}`)).filter((one) => one.endsWith('Contract'));
        expect(suites.length).toBeGreaterThan(0);
        return suites.map((suite) => `@baobab/contracts/${name} ${suite}`);
      }),
    );
    expect(listed.toSorted()).toEqual(exported.flat().toSorted());
    for (const [from = '', suite = '', subject = ''] of rows) {
      const folder = join(SUITES, codesIn(from)[0]?.split('/')[2] ?? '');
      const text = readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('\n');
      const [, takes = ''] = new RegExp(`export function ${codesIn(suite)[0]}\\(([^]*?)\\): void`).exec(text) ?? [];
      const [type = '?'] = codesIn(subject);
      expect([suite, takes]).toEqual([suite, expect.stringMatching(new RegExp(`\\b${type}\\b`))]);
    }
    const [ports] = readDocument('docs/writing-an-adapter.md').split('## Steps');
    const ofPorts = tableRows(ports ?? '').flatMap(([, , , suite = '']) => codesIn(suite));
    expect(ofPorts.toSorted()).toEqual(names);
  });

  it('have no broken links', () => {
    const root = join(import.meta.dirname, '..');
    const documents = allDocuments();
    expect(documents.length).toBeGreaterThan(20);
    for (const document of documents) {
      const links = Array.from(
        readDocument(document).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g),
        ([, link = '']) => link,
      );
      const dead = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, dirname(document), link)));
      expect([document, dead]).toEqual([document, []]);
    }
  });

  it('link to pages and sections about what the link says', () => {
    const links = allDocuments().flatMap((document) => linksOf(document).map((link) => ({ document, ...link })));
    expect(links.length).toBeGreaterThan(1_000);
    expect(links.filter((link) => !leadsTo(link))).toEqual([]);
  });

  it('show pictures in HTML by a path that begins with a dot, which the site generator needs', () => {
    const bare = allDocuments().flatMap(
      (path) => readDocument(path).match(/<(?:img|source)[^>]* (?:src|srcset)="(?!\.|https?:)[^"…]+"/g) ?? [],
    );
    expect(bare).toEqual([]);
  });

  it('name files that exist', () => {
    const root = join(import.meta.dirname, '..');
    const named = /`((?:packages|tests|docs|scripts|bench)\/[\w./-]+\.\w+)`/g;
    const documents = [
      'README.md',
      'CONTRIBUTING.md',
      ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
    ];
    const paths = documents
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => Array.from(readDocument(name).matchAll(named), ([, path = '']) => `${name}: ${path}`));
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((one) => !existsSync(join(root, one.split(': ')[1] ?? '')))).toEqual([]);
  });

  it('name npm commands that exist', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
    for (const document of allDocuments()) {
      const named = Array.from(
        readDocument(document).matchAll(/\bnpm (?:run ([\w:]+)|(start|test)\b)/g),
        ([, script, own]) => script ?? own ?? '',
      );
      expect([document, named.filter((name) => !(name in scripts))]).toEqual([document, []]);
      if (document === 'README.md') expect(named).toEqual(expect.arrayContaining(['start', 'test']));
    }
  });

  it('are all reachable from the README', () => {
    const readme = readDocument('README.md');
    const index = readDocument('docs/README.md');
    const documents = allDocuments().flatMap((path) => /^docs\/(?!adr\/)(.+)$/.exec(path)?.slice(1) ?? []);
    const isLinked = (name: string) => readme.includes(`](docs/${name})`) || index.includes(`](${name})`);
    expect(documents.filter((name) => !isLinked(name))).toEqual([]);
  });

  it("can be generated from the routes' own descriptions", () => {
    const ids = routes.map(({ schema }) => (schema as { operationId?: string } | undefined)?.operationId);
    expect(new Set(ids).size).toBe(routes.length);
    for (const route of routes) {
      const described = { route: keyOf(route), ...route.schema };
      expect(described).toMatchObject({
        operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        summary: expect.stringMatching(/^[A-Z].*[^.]$/),
        tags: [expect.stringMatching(/^[A-Za-z ]+$/)],
        response: { '4xx': expect.any(Object), '5xx': expect.any(Object) },
      });
    }
  });
});
