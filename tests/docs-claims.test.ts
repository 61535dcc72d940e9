import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineSettings, ERRORS, type ErrorCode } from '@baobab/core';
import { VARIABLES } from '@baobab/server';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../packages/http/src/errors/statuses.ts';
import { readDocument } from './support/markdown.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('claims of the documents about the code', () => {
  it('name one minimum version of Node everywhere', () => {
    const [, major, minor] = /LEAST_NODE = \[(\d+), (\d+)\]/.exec(read('scripts/run.mjs')) ?? [];
    const least = `${major}.${minor}`;
    expect(read('packages/server/src/node-version.ts')).toContain(`LEAST_NODE = [${major}, ${minor}]`);
    // The client runs in the programs of others, on older versions too.
    const manifests = globSync('packages/!(client)/package.json', { cwd: ROOT });
    expect(manifests.length).toBeGreaterThan(3);
    for (const path of manifests)
      expect([path, JSON.parse(read(path)).engines]).toEqual([path, { node: `>=${least}` }]);
    expect(readDocument('README.md')).toContain(`older than ${least}`);
    expect(readDocument('docs/deploy.md')).toContain(`Node ≥ ${least}`);
    expect(readDocument('docs/adr/0002-node-24-and-maintained-libraries.md')).toContain(`older than ${least}`);
  });

  it('name every file that reads the environment', () => {
    const readers = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).filter((path) =>
      /\bprocess\.env\b/.test(read(path)),
    );
    const [sentence = ''] =
      /`process\.env` is read in [^.]*\.ts`[^.]*\.ts`/.exec(readDocument('docs/architecture.md')) ?? [];
    const named = Array.from(sentence.matchAll(/`([\w-]+\.ts)`/g), ([, name]) => `packages/server/src/${name}`);
    expect(readers.sort()).toEqual(named.sort());
  });

  it('name every check of a running server', () => {
    const { parameters } = JSON.parse(read('docs/openapi.json')).paths['/admin/checks'].get;
    const { schema } = parameters.find(({ name }: { readonly name: string }) => name === 'check');
    const [list = ''] = /- `check` is [\s\S]*?(?=\n- )/.exec(readDocument('docs/api-admin.md')) ?? [];
    const named = Array.from(list.replaceAll(/\([^)]*\)/g, '').matchAll(/`([a-z_]+)`/g), ([, name]) => name);
    expect(named.filter((name) => name !== 'check').sort()).toEqual([...schema.enum].sort());
  });

  it('troubleshoot codes, settings, variables and messages that exist, with their status', () => {
    const page = readDocument('docs/troubleshooting.md');
    const codes = Array.from(page.matchAll(/`([a-z_]+(?:\.[a-z_]+)+)(?= |`)/g), ([, code = '']) => code);
    const client = read('packages/client/src/errors.ts');
    const settings = read('docs/settings.md');
    const isKnown = (code: string) =>
      code in ERRORS || client.includes(`'${code}'`) || settings.includes(`| \`${code}\` |`);
    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((code) => !isKnown(code))).toEqual([]);
    for (const [shown, statuses = '', code = ''] of page.matchAll(/(\d{3}(?: or \d{3})?), `([a-z_]+\.[a-z_.]+)`/g)) {
      expect([shown, statuses.split(' or ')]).toEqual([
        shown,
        expect.arrayContaining([`${statusOf(code as ErrorCode)}`]),
      ]);
    }
    const variables = Array.from(page.matchAll(/`([A-Z]+_[A-Z_]+)(?:=\w+)?`/g), ([, name = '']) => name);
    expect(variables.filter((name) => !(name in VARIABLES))).toEqual([]);
    const sources = globSync('packages/{core,server,adapters}/src/**/*.ts', { cwd: ROOT }).map(read).join('\n');
    for (const message of [
      'is unknown and has no effect; did you mean',
      'another program listens on port',
      'may not write to',
      'is full; free space on it',
      'image engine selected',
      'The database schema is newer than this version',
    ]) {
      expect(page).toContain(message);
      expect(sources).toContain(message);
    }
  });

  it('size deployments by figures of the measurements that they link', () => {
    const rows = Array.from(readDocument('docs/sizing.md').matchAll(/^\| (.*) \| \[[^\]]+\]\((\S+\.md)\) \|$/gm));
    expect(rows.length).toBeGreaterThan(9);
    for (const [, cells = '', link = ''] of rows) {
      const measured = read(join('docs', link));
      const [, ...figures] = cells.split(' | ').map((cell) => cell.replace(' MB', ''));
      for (const figure of figures)
        expect([cells, measured]).toEqual([cells, expect.stringMatching(`[ |]${figure}(?:\\.\\d)? `)]);
    }
    expect(readDocument('docs/sizing.md')).toContain('14.68 GB');
    expect(read('docs/proof/scale.md')).toContain('14.68 GB');
  });

  it('name existing interfaces of a SQL database, without their number', () => {
    const [, section = ''] = readDocument('docs/writing-an-adapter.md').split('## Another SQL database\n');
    const sources = globSync('packages/adapters/src/sql/**/*.ts', { cwd: ROOT }).map(read).join('\n');
    const names = Array.from(section.matchAll(/`((?:[A-Z]|create)\w+)`/g), ([, name = '']) => name);
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !new RegExp(`export (?:interface|function) ${name}\\b`).test(sources))).toEqual([]);
    expect(section).not.toMatch(/\d+ lines/);
  });

  it.each(['README.md', 'docs/followers.md', 'docs/permissions.md', 'docs/access.md', 'docs/documents.md'])(
    'say in %s that followers read documents, and when that ends',
    (path) => {
      const text = readDocument(path);
      expect(defineSettings([]).Application.map(({ key }) => key)).toContain('followers.read.documents');
      expect(text).not.toMatch(/nobody else (may read|sees) it/i);
      expect(text).toMatch(/followers/i);
      expect(text).toMatch(/followers\.read\.documents|access\.md#followers/);
    },
  );
});
