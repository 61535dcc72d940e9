import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createBook } from '../support/documents.ts';
import { expectStatus } from '../support/people.ts';

const MERGE = 'application/merge-patch+json';

onEveryStorage('merge patches', (world) => {
  async function book(content: unknown) {
    const scene = await createBook(world, content);
    const merge = (patch: unknown, type = MERGE) => {
      const payload = Buffer.from(typeof patch === 'string' ? patch : JSON.stringify(patch));
      return world.call('PATCH', scene.url, { token: scene.token, bytes: { type, payload } });
    };
    return { ...scene, merge };
  }

  // The examples of RFC 7396, appendix A, whose results are objects.
  it.each<[original: object, patch: object, result: object]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', async (original, patch, result) => {
    const { merge, text, document } = await book(original);
    const { status, data } = await merge(patch);
    expect([status, data['@version']]).toEqual([200, 2]);
    const content = JSON.stringify(result).slice(1, -1);
    const names = `"_author":"${document._author}","_updated_by":"${document._author}"`;
    expect(await text()).toContain(`${names}${content && ','}${content}},"http_code":200`);
  });

  it('keep the order of members, and store what is sent in canonical form', async () => {
    const { merge, text } = await book('{"b":1,"2":{"z":"é 😀"},"1":[1],"__proto__":{"a":1}}');
    const patch = '{ "9": 1.0, "2": {"y": "\\u00e9", "1": {"n": null}}, "a/b": 1, "__proto__": {"b": 2} }';
    expect((await merge(patch, `${MERGE}; charset=utf-8`)).status).toBe(200);
    const content = '"b":1,"2":{"z":"é 😀","y":"é","1":{}},"1":[1],"__proto__":{"a":1,"b":2},"9":1,"a/b":1';
    expect(await text()).toContain(`,${content}},"http_code"`);
  });

  it('ignore the members that the service owns, except for the version', async () => {
    const { merge, document, read } = await book({ a: 1 });
    expect((await merge({ ...document, a: 2, _author: null, id: null })).status).toBe(200);
    expect(await read()).toMatchObject({ a: 2, '@version': 2, _author: document._author, id: document.id });
    expect((await merge({ a: 3, '@version': 1 })).body.code).toBe('document.stale');
    expect((await merge({ a: 3, '@version': null })).body.code).toBe('document.version_invalid');
  });

  it.each<[patch: string, code: string]>([
    ['[1]', 'patch.invalid'],
    ['null', 'patch.invalid'],
    ['{"a":"\\ud800"}', 'input.invalid'],
    ['{"\\ud800":1}', 'input.invalid'],
    ['{"a":1e999}', 'json.number_inexact'],
    ['{"a":844197938335842305}', 'json.number_inexact'],
    ['{', 'input.json_invalid'],
    ['', 'input.empty'],
  ])('%s is 400 (%s)', async (patch, code) => {
    const { merge, document, read } = await book({ a: 1 });
    const { status, body } = await merge(patch);
    expect([status, body.code]).toEqual([400, code]);
    expect(await read()).toEqual(document);
  });

  it('are not taken for documents by other methods, and other types are 415', async () => {
    const { url, token, collection, merge } = await book({ a: 1 });
    const bytes = { type: MERGE, payload: Buffer.from('{"a":2}') };
    expect((await world.call('PUT', url, { token, bytes })).status).toBe(415);
    expect((await world.call('POST', `/document/${collection}`, { token, bytes })).status).toBe(415);
    expect((await merge({ a: 2 }, 'application/json-patch+json')).status).toBe(415);
  });

  it('are recognized in any case, and with space before parameters', async () => {
    for (const type of [
      'Application/Merge-Patch+JSON',
      'APPLICATION/MERGE-PATCH+JSON ; charset=utf-8',
      `${MERGE}\t;a=b`,
    ]) {
      const { merge, read } = await book({ set: { a: 1 } });
      expect([type, (await merge({ set: { b: 2 } }, type)).status]).toEqual([type, 200]);
      expect(await read()).toMatchObject({ set: { a: 1, b: 2 } });
    }
  });

  it('differ from operators of the same text for an idempotency key, and not by how their type is written', async () => {
    const { url, token, read } = await book({ a: 1 });
    const payload = Buffer.from('{"set":{"a":2}}');
    const patch = (type: string, key: string) =>
      world.call('PATCH', url, { token, bytes: { type, payload }, headers: { 'idempotency-key': key } });
    await expectStatus(patch('application/json', 'one'), 200);
    const other = await expectStatus(patch(MERGE, 'one'), 422);
    expect(other.body.code).toBe('idempotency.mismatch');
    expect((await patch('Application/JSON;charset=utf-8', 'one')).headers['idempotency-replayed']).toBe('true');
    expect(await read()).not.toHaveProperty('set');
    await expectStatus(patch(MERGE, 'two'), 200);
    expect((await patch('Application/Merge-Patch+JSON', 'two')).headers['idempotency-replayed']).toBe('true');
    expect((await patch('application/json', 'two')).status).toBe(422);
    expect(await read()).toMatchObject({ set: { a: 2 }, '@version': 3 });
  });

  it('work in batches, beside operators', async () => {
    const { url, token, read, document } = await book({ likes: 1, a: { b: 1, c: 2 } });
    const operations = [
      { method: 'PATCH', path: url, content_type: MERGE, body: { a: { b: null } } },
      { method: 'patch', path: url, body: { increment: { likes: 1 } } },
      { method: 'PATCH', path: url, content_type: 'application/json', body: { increment: { a: 1 } } },
      { method: 'PATCH', path: url, content_type: 'text/plain', body: {} },
      { method: 'PATCH', path: url },
    ];
    const { data } = await expectStatus(world.call('POST', '/batch', { token, body: { operations } }), 200);
    expect(data.map(({ code, http_code: status }: { code: string; http_code: number }) => code ?? status)).toEqual([
      200,
      200,
      'field.type_invalid',
      'patch.invalid',
      'input.empty',
    ]);
    expect(data[2].errors).toEqual([{ path: '/a', message: expect.any(String), operation: 2 }]);
    expect(await read()).toMatchObject({ id: document.id, likes: 2, a: { c: 2 }, '@version': 3 });
    const atomic = { atomic: true, operations: operations.slice(1, 3) };
    const failed = await expectStatus(world.call('POST', '/batch', { token, body: atomic }), 400);
    expect(failed.body).toMatchObject({ code: 'field.type_invalid', operation: 1, errors: [{ path: '/a' }] });
    expect(await read()).toMatchObject({ likes: 2, '@version': 3 });
  });
});
