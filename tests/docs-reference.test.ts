import { describe, expect, it } from 'vitest';
import { declarationsOf, MODULES } from '../docs/.vitepress/client-reference.ts';
import { REFERENCE } from '../docs/.vitepress/reference.ts';
import { readRequests } from '../docs/.vitepress/shell.ts';
import { CLIENT_ROUTES } from '../packages/console/src/values/client-routes.ts';
import { fences } from './support/fences.ts';
import { readDocument } from './support/markdown.ts';

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

const textOf = (folder: keyof typeof REFERENCE) =>
  REFERENCE[folder]()
    .map(({ text }) => text)
    .join('\n');

describe('the generated reference of the HTTP API', () => {
  const text = textOf('http');
  const { paths }: Described = JSON.parse(readDocument('docs/openapi.json'));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operationId,
    })),
  );

  it('has one section for each endpoint', () => {
    const sections = Array.from(text.matchAll(/^## .* \{#(\w+)\}\n\n`(\S+ \S+)`$/gm), ([, operationId, route]) => ({
      route,
      operationId,
    }));
    const byRoute = (a: { route?: string | undefined }, b: { route?: string | undefined }) =>
      String(a.route).localeCompare(String(b.route));
    expect(sections.toSorted(byRoute)).toEqual(operations.toSorted(byRoute));
  });

  it('shows the call of the client for each route that it knows', () => {
    const calls = fences(text).filter(({ info }) => info === 'ts');
    const known = Object.keys(CLIENT_ROUTES).map((route) => route.replaceAll(/:(\w+)/g, '{}'));
    const described = operations.filter(({ route }) => known.includes(route.replaceAll(/\{\w+\}/g, '{}')));
    expect(described.length).toBeGreaterThan(60);
    expect(calls.length).toBeGreaterThanOrEqual(described.length);
  });

  it('has commands that the site shows in other languages, except uploads', () => {
    const commands = fences(text).filter(({ info }) => info === 'sh');
    expect(commands).toHaveLength(operations.length);
    const unread = commands.filter((command) => readRequests(command.text) === null);
    expect(unread.filter((command) => !command.text.includes('-F file='))).toEqual([]);
  });
});

describe('the generated reference of the client', () => {
  const text = textOf('client');

  it.each(Object.entries(MODULES))('has a section for each export of %s', (_module, file) => {
    const names = declarationsOf(file).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !text.includes(`\n## ${name}\n`))).toEqual([]);
  });

  it('has types, without the code behind them', () => {
    const codes = fences(text).map((fence) => fence.text);
    expect(
      codes.filter((code) => /\breturn\b|\bawait\b|=> \{/.test(code.replaceAll(/\/\*\*[\s\S]*?\*\//g, ''))),
    ).toEqual([]);
  });
});
