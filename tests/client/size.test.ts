import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundleClient } from '../support/bundle.ts';

const PACKAGE = join(import.meta.dirname, '../../packages/client');
const MOST_BYTES = 12_000;
const MOST_BYTES_OF_LIVE = 5_800;
/** Beside live queries, with which it shares how changes are read; and without them. */
const MOST_BYTES_OF_OFFLINE = 9_200;
const MOST_BYTES_OF_OFFLINE_ALONE = 12_400;
const MOST_BYTES_OF_REACT = 2_000;

describe('the client', () => {
  it('has at most 12 kB compressed', async () => {
    const code = await bundleClient();
    expect(code).toContain('X-SERVICE-APPCODE');
    expect(brotliCompressSync(code).length).toBeLessThan(gzipSync(code).length);
    expect(gzipSync(code).length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('has live queries and rooms in at most 5.8 kB more, for apps that want them', async () => {
    const without = gzipSync(await bundleClient()).length;
    const both = await bundleClient("export * from '@baobab/client'; export * from '@baobab/client/live';");
    expect(gzipSync(both).length - without).toBeLessThanOrEqual(MOST_BYTES_OF_LIVE);
  });

  it('has an offline store in at most 9.2 kB more than live queries, for apps that want it', async () => {
    const [client, live, offline] = ['', '/live', '/offline'].map((part) => `export * from '@baobab/client${part}';`);
    const size = async (...parts: (string | undefined)[]) => gzipSync(await bundleClient(parts.join(' '))).length;
    expect(await bundleClient(offline)).toContain('indexedDB');
    expect((await size(client, live, offline)) - (await size(client, live))).toBeLessThanOrEqual(MOST_BYTES_OF_OFFLINE);
    expect((await size(client, offline)) - (await size(client))).toBeLessThanOrEqual(MOST_BYTES_OF_OFFLINE_ALONE);
  });

  it('has hooks for React in at most 2 kB', async () => {
    const code = await bundleClient("export * from '@baobab/client/react';", ['react']);
    expect(code).toContain('useSyncExternalStore');
    expect(gzipSync(code).length).toBeLessThanOrEqual(MOST_BYTES_OF_REACT);
  });

  it('is smaller in an app that uses less of it', async () => {
    const errors = await bundleClient("export { isBaobabError } from '@baobab/client';");
    expect(gzipSync(errors).length).toBeLessThan(1_000);
  });

  it('depends on nothing, and on React only for its hooks', () => {
    const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
    const kinds = ['dependencies', 'optionalDependencies'];
    expect(kinds.filter((kind) => kind in manifest)).toEqual([]);
    expect(manifest.peerDependencies).toEqual({ react: '>=18' });
    expect(manifest.peerDependenciesMeta).toEqual({ react: { optional: true } });
    expect(manifest.sideEffects).toBe(false);
  });
});
