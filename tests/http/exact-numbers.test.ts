import { expect, it } from 'vitest';
import { type CallOptions, onEveryStorage } from '../support/backend.ts';
import { createBook } from '../support/documents.ts';
import { filePart, multipart } from '../support/files.ts';

const LONG = '844197938335842305';
const MERGE = 'application/merge-patch+json';

onEveryStorage('numbers that a double would change', (world) => {
  const book = () => createBook(world, { n: 844197938335842300, ref: LONG, max: 2 ** 53, safe: 2 ** 53 - 1 });

  type Sent = (of: Awaited<ReturnType<typeof book>>) => [method: string, url: string, options: CallOptions];

  it.each<[what: string, place: string, sent: Sent]>([
    ['a document', '/n', ({ collection }) => ['POST', `/document/${collection}`, { body: `{"n":${LONG}}` }]],
    ['a replaced document', '/a/1/b~1c', ({ url }) => ['PUT', url, { body: `{"s":"[,{","a":[0,{"b/c":-${LONG}}]}` }]],
    ['a field', '/data', ({ url }) => ['PUT', `${url}/.n`, { body: `{"data":${LONG}}` }]],
    ['a number beyond the range', '/n', ({ url }) => ['PUT', url, { body: '{"n":-1e400}' }]],
    ['a number of very many digits', '/n', ({ url }) => ['PUT', url, { body: `{"n":${'9'.repeat(400)}}` }]],
    [
      'a merge patch',
      '/n',
      ({ url }) => ['PATCH', url, { bytes: { type: MERGE, payload: Buffer.from(`{"n":${LONG}}`) } }],
    ],
    ['a patch', '/set/n', ({ url }) => ['PATCH', url, { body: `{"set":{"n":${LONG}}}` }]],
    ['an increment', '/increment/n', ({ url }) => ['PATCH', url, { body: `{"increment":{"n":${LONG}}}` }]],
    [
      'a batch',
      '/operations/0/body/n',
      ({ collection }) => [
        'POST',
        '/batch',
        { body: `{"operations":[{"method":"POST","path":"/document/${collection}","body":{"n":${LONG}}}]}` },
      ],
    ],
    ['a profile', '/visibleByTheUser/n', () => ['PUT', '/me', { body: `{"visibleByTheUser":{"n":${LONG}}}` }]],
    [
      'data attached to a file',
      '/attachedData',
      () => ['POST', '/file', { bytes: multipart(filePart('x'), { name: 'attachedData', content: `{"n":${LONG}}` }) }],
    ],
    ['a filter', 'query.where', ({ collection }) => ['GET', `/document/${collection}?where=n%20%3D%20${LONG}`, {}]],
    [
      'a list in a parameter',
      'query.params',
      ({ collection }) => ['GET', `/document/${collection}?where=n%20in%20%3F&params=%5B${LONG}%5D`, {}],
    ],
  ])('are refused in %s, with their place', async (_what, place, sent) => {
    const one = await book();
    const [method, url, options] = sent(one);
    const { status, body } = await world.call(method, url, { token: one.token, ...options });
    expect([status, body.code, body.errors]).toEqual([
      400,
      'json.number_inexact',
      [{ path: place, message: body.message }],
    ]);
    expect(body.message).toContain('send it as a string');
    expect(await one.read()).toEqual(one.document);
  });

  it('find ids only as texts', async () => {
    const { token, document, ids } = await book();
    const found = async (where: string, ...params: string[]) => {
      const query = new URLSearchParams([
        ['where', where],
        ...params.map((param): [string, string] => ['params', param]),
      ]);
      return ids({ token }, `?${query}`);
    };
    expect(await found('ref = ?', LONG)).toEqual([document.id]);
    expect(await found('n = ?', LONG)).toEqual([]);
    expect(await found('n = ?', '844197938335842300')).toEqual([document.id]);
    expect(await found('n = 844197938335842300')).toEqual([document.id]);
  });

  it('are no sums of increments', async () => {
    const { url, token, read, document } = await book();
    const add = (field: string, by: number) =>
      world.call('PATCH', url, { token, body: { increment: { [field]: by } } });
    for (const [field, by] of [
      ['max', 1],
      ['safe', 2],
      ['n', 1],
    ] as const) {
      const { status, body } = await add(field, by);
      expect([status, body.code]).toEqual([400, 'json.number_inexact']);
    }
    expect(await read()).toEqual(document);
    expect((await add('safe', -1)).data.safe).toBe(2 ** 53 - 2);
    expect((await add('safe', 1)).data.safe).toBe(2 ** 53 - 1);
  });

  it('do not include strings and decimals', async () => {
    const { url, token } = await book();
    const sent = `{"id":"x","text":"${LONG}","${LONG}":[0.1234567890123456789,1e300],"e":1.5e3}`;
    const { status, text } = await world.call('PUT', url, { token, body: sent });
    expect(status).toBe(200);
    expect(text).toContain(`"text":"${LONG}","${LONG}":[0.12345678901234568,1e+300],"e":1500`);
  });
});
