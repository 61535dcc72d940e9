import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let backend: TestBackend;
beforeAll(async () => {
  backend = await createTestBackend();
});
afterAll(() => backend.close());

const get = (accept?: string) =>
  backend.app.inject({ method: 'GET', url: '/', headers: accept === undefined ? {} : { accept } });

describe('the path /', () => {
  it('is a page for browsers, without scripts and under a strict policy', async () => {
    const { statusCode, headers, body } = await get('text/html,application/xhtml+xml,*/*;q=0.8');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:;/,
    );
    expect(body).not.toMatch(/<script|style=|(?:href|src)="(?:https?:)?\//);
  });

  it.each([['application/json'], ['*/*'], [undefined]])('is missing for programs that accept %s', async (accept) => {
    const { statusCode, headers, body } = await get(accept);
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(body)).toMatchObject({ code: 'route.not_found', message: 'There is no /' });
  });
});
