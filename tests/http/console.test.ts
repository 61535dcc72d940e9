import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';

const folder = createFolder();
const site = join(folder.path, 'site');
let backend: TestBackend;

beforeAll(async () => {
  backend = await createTestBackend({ consoleFolder: site, appCode: 'a"<b>' });
});
afterAll(async () => {
  await backend.close();
  folder.remove();
});

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  backend.app.inject({ method: 'GET', url, headers });

function writeSite(script: string): void {
  mkdirSync(join(site, 'assets'), { recursive: true });
  writeFileSync(join(site, 'assets/index-abc.js'), script);
  writeFileSync(join(site, 'assets/index-abc.js.br'), 'brotli');
  writeFileSync(join(site, 'assets/index-abc.js.gz'), 'gzip');
  writeFileSync(join(site, 'assets/notes.txt'), 'not served');
  writeFileSync(join(folder.path, 'secret.js'), 'secret');
  writeFileSync(join(site, 'index.html'), '<!doctype html>\n<html lang="en" nonce="__CSP_NONCE__">');
}

describe('the console', () => {
  it('is 503, and tells browsers to come again, until it is built', async () => {
    const { statusCode, headers, body } = await get('/console/');
    expect([statusCode, headers['retry-after']]).toEqual([503, '2']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(body).toContain('The console is being built');
    expect((await get('/console/assets/index-abc.js')).statusCode).toBe(404);
  });

  it('is a page under a strict policy that is fresh at each visit', async () => {
    writeSite('one');
    const { statusCode, headers, body } = await get('/console/');
    expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    const policy = String(headers['content-security-policy']);
    const [, nonce = ''] = /nonce="([\w-]{22})"/.exec(body) ?? [];
    expect((await get('/console/')).body).not.toContain(nonce);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    for (const part of [
      "default-src 'none'",
      `script-src 'nonce-${nonce}';`,
      `style-src 'nonce-${nonce}';`,
      "img-src 'self' data: blob:;",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(part);
    expect(body).toBe(`<!doctype html>\n<html data-app-code="a&quot;&lt;b>" lang="en" nonce="${nonce}">`);
  });

  it('has one address, with a slash at its end', async () => {
    const { statusCode, headers } = await get('/console');
    expect([statusCode, headers.location]).toEqual([302, './console/']);
  });

  it.each([
    ['gzip, br', 'br', 'brotli'],
    ['gzip, br;q=0', 'gzip', 'gzip'],
    ['identity', undefined, 'one'],
    [undefined, undefined, 'one'],
  ])('has assets for ever, for Accept-Encoding %s coded as %s', async (accepted, coding, text) => {
    const { headers, body } = await get(
      '/console/assets/index-abc.js',
      accepted === undefined ? {} : { 'accept-encoding': accepted },
    );
    expect([headers['content-encoding'], headers['content-type'], body]).toEqual([
      coding,
      'application/javascript; charset=utf-8',
      text,
    ]);
    expect([headers['cache-control'], headers.vary]).toEqual([
      'public, max-age=31536000, immutable',
      'Accept-Encoding',
    ]);
  });

  it.each([
    '/console/assets/notes.txt',
    '/console/assets/index-abc.js.br',
    '/console/assets/..%2F..%2Fsecret.js',
    '/console/assets/../../secret.js',
    '/console/assets/%2e%2e%2f%2e%2e%2fsecret.js',
    '/console/assets/__proto__',
    '/console/other',
  ])('serves nothing but its own assets: %s is 404', async (url) => {
    expect((await get(url)).statusCode).toBe(404);
  });

  it('does not exist where it is off', async () => {
    const without = await createTestBackend();
    for (const url of ['/console', '/console/', '/console/assets/index-abc.js'])
      expect((await without.app.inject({ method: 'GET', url })).statusCode).toBe(404);
    await without.close();
  });
});
