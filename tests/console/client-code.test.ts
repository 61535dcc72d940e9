import { createAdminClient } from '@baobab/client/admin';
import { describe, expect, it } from 'vitest';
import { callOf } from '../../packages/console/src/values/client-code.ts';
import { CLIENT_ROUTES } from '../../packages/console/src/values/client-routes.ts';

const get = (path: string) => callOf({ method: 'GET', path, body: null });

/** The requests that running a call makes. Nothing is sent. */
async function requestsOf(call: string): Promise<string[]> {
  const sent: string[] = [];
  const data = { id: 'x', 'X-BB-SESSION': 'x' };
  const client = createAdminClient({
    url: 'http://localhost',
    appCode: 'code',
    fetch: async (input, { method = 'GET' } = {}) => {
      const request = `${method} ${String(input).slice('http://localhost'.length)}`;
      sent.push(request);
      const answer = { result: 'ok', data: request === 'POST /batch' ? [] : data, more: false, http_code: 200 };
      return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
    },
  });
  const run = new Function('client', `return ${call};`) as (of: typeof client) => unknown;
  const made = run(client);
  // Some calls result in rows that are read one by one.
  if (typeof made === 'object' && made !== null && Symbol.asyncIterator in made) {
    const rows = (made as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    await rows.next().catch(() => undefined);
  } else await made;
  client.close();
  return sent;
}

describe('the call of the client for a request', () => {
  it.each(Object.keys(CLIENT_ROUTES))('sends %s again', async (route) => {
    const [method = '', pattern = ''] = route.split(' ');
    const parts: Readonly<Record<string, string>> = { right: 'read', kind: 'user', dry: 'true' };
    const path = pattern.replace(/:(\w+)/g, (_, name: string) => parts[name] ?? encodeURIComponent(`a "${name}" 'é/`));
    const body = method === 'GET' || method === 'DELETE' ? null : '{"name":"n","password":"p","value":"v","to":"t"}';
    const call = callOf({ method, path, body });
    expect(call).not.toBeNull();
    const [sent = ''] = await requestsOf(call ?? '');
    expect(sent.split('?')[0]).toBe(`${method} ${path}`);
  });

  it('has the condition, the order and the page of a list', () => {
    const query = new URLSearchParams([
      ['where', 'a = ? and b'],
      ['params', '"x"'],
      ['orderBy', '`a`.`b` desc, c'],
      ['recordsPerPage', '50'],
      ['cursor', 'next'],
    ]);
    expect(get(`/document/notes?${query}`)).toBe(
      'client.collection("notes").query().whereUnchecked("a = ? and b", "\\"x\\"").orderBy("a.b", "desc").orderBy("c", "asc").pageSize(50).page("next")',
    );
  });

  it('is none for requests that the client has no call for', () => {
    expect([get('/nowhere'), callOf({ method: 'PATCH', path: '/admin/user', body: null })]).toEqual([null, null]);
  });

  it('says when a schema is only tried', () => {
    const path = '/admin/collection/notes/schema?dry=true';
    expect(callOf({ method: 'PUT', path, body: '{}' })).toBe(
      'client.admin.collections.setSchema("notes", {}, { dry: true })',
    );
  });
});
