import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtConsole } from '../support/console.ts';

const MOST_BYTES = 200_000;

describe('the build of the console', () => {
  const site = builtConsole();
  const assets = readdirSync(join(site, 'assets'));

  it('has a first script of at most 200 kB compressed, and loads views when they are opened', () => {
    const page = readFileSync(join(site, 'index.html'), 'utf8');
    const scripts = Array.from(page.matchAll(/<script[^>]* src="\.\/assets\/([^"]+)"/g), ([, name = '']) => name);
    expect(scripts).toHaveLength(1);
    const [first = ''] = scripts;
    expect(statSync(join(site, 'assets', `${first}.gz`)).size).toBeLessThanOrEqual(MOST_BYTES);
    for (const view of ['users', 'collections', 'files', 'assets', 'groups', 'webhooks', 'keys', 'settings'])
      expect(assets.filter((name) => name.startsWith(`${view}-`) && name.endsWith('.js'))).toHaveLength(1);
  });

  it('is made for production', () => {
    const scripts = assets.filter((name) => name.endsWith('.js'));
    const texts = scripts.map((name) => readFileSync(join(site, 'assets', name), 'utf8'));
    expect(texts.filter((text) => text.includes('https://react.dev/link/'))).toEqual([]);
    expect(texts.some((text) => text.includes('https://react.dev/errors/'))).toBe(true);
  });
});
