import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let backend: TestBackend;
beforeAll(async () => {
  backend = await createTestBackend({ appCode: 'a"<b>' });
});
afterAll(() => backend.close());

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  backend.app.inject({ method: 'GET', url, headers });

describe('the API reference', () => {
  it('is a page with the files of Swagger UI and of the server', async () => {
    const { statusCode, headers, body } = await get('/docs');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(body).toContain('data-app-code="a&quot;&lt;b>"');
    const files = Array.from(body.matchAll(/(?:src|href)="\.(\/docs\/static\/[^"]+)"/g), ([, url = '']) => url);
    expect(files).toHaveLength(5);
    for (const url of files) expect([url, (await get(url)).statusCode]).toEqual([url, 200]);
  });

  it('has files that browsers revalidate', async () => {
    const { headers } = await get('/docs/static/swagger-ui.css');
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    const again = await get('/docs/static/swagger-ui.css', { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('shows the document without secrets in the query, and calls the server that it came from', async () => {
    const document = (await get('/docs/json')).json();
    expect(document.servers).toEqual([{ url: '../' }]);
    expect(Object.keys(document.components.securitySchemes).filter((name) => name.endsWith('InQuery'))).toEqual([]);
  });

  it.each(['none.js', '..%2Fpackage.json', '%2e%2e%2fpackage.json', '.hidden'])('has no file %s', async (name) => {
    expect((await get(`/docs/static/${name}`)).statusCode).toBe(404);
  });
});
