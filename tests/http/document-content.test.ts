import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { onEveryStorage } from '../support/backend.ts';
import { createShelf } from '../support/documents.ts';

const nested = (levels: number, open: string, close: string) => open.repeat(levels) + close.repeat(levels);

/** Request (as text, because JavaScript objects reorder number-like keys) and content of the response. */
const KEPT: ReadonlyArray<readonly [what: string, sent: string, kept: string]> = (
  [
    ['an empty object', '{}'],
    ['the order of keys', '{"b":1,"a":2,"c":3}'],
    ['the order of keys that look like numbers', '{"b":1,"2":2,"1":3,"-1":4,"a":{"9":0,"x":1,"8":2}}'],
    ['an empty key', '{"":"empty","a":{"":1}}'],
    ['keys with dots, dollars, brackets, quotes and spaces', '{"a.b":1,"$where":2,"a[0]":3,"\\"":4," ":5,"a/b":6}'],
    ['keys of other scripts', '{"日本":"語","ключ":"значение","🧑‍🚀":"👩🏽‍🚀"}'],
    ['keys of JavaScript itself', '{"__proto__":{"admin":true},"constructor":{"prototype":1},"toString":2}'],
    ['nested keys with the names of JavaScript properties', '{"a":{"__proto__":[1],"hasOwnProperty":null}}'],
    ['nested fields with the names of service fields', '{"a":{"id":1,"@version":2,"_author":3,"_allow":[4]}}'],
    ['names that resemble service fields', '{"ID":1,"_id":2,"author":3,"_Author":4,"allow":5}'],
    ['whole numbers that a double represents exactly', '{"a":9007199254740994,"b":150000000000000000}'],
    ['large doubles as JavaScript writes them', '{"a":1152921504606847000}'],
    ['ids as strings', '{"a":"844197938335842305"}'],
    ['whole numbers up to 2^53', '{"a":9007199254740991,"b":-9007199254740991,"c":0}'],
    ['small and large numbers', '{"a":-1e-8,"b":1.7976931348623157e+308,"c":5e-324,"d":0.1}'],
    ['every kind of value', '{"a":null,"b":true,"c":false,"d":"","e":[],"f":{},"g":[[],[null,{}]]}'],
    [
      'strings with escapes',
      '{"a":"\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f","b":"\\u2028\\u2029</script>"}'.replace(/\\u202[89]/g, (e) =>
        JSON.parse(`"${e}"`),
      ),
    ],
    ['strings of many Unicode planes', '{"a":"😀","b":"\u{10FFFF}","c":"\uE000\uFFFD\uFEFF","d":"e\u0301"}'],
    ['60 levels of objects', `{"a":${nested(59, '{"a":', '').replace(/$/, '1')}${'}'.repeat(59)}}`],
    ['60 levels of arrays', `{"a":${nested(59, '[', ']')}}`],
    ['the value of a number, not its spelling', '{"a":1.0,"b":1E2,"c":-0.1e-7}', '{"a":1,"b":100,"c":-1e-8}'],
    ['the last of duplicate keys', '{"a":1,"b":2,"a":3,"c":{"x":1,"x":2}}', '{"a":3,"b":2,"c":{"x":2}}'],
    ['content with whitespace around it', ' {\n"a" :\t[ 1 , 2 ]\r\n, "b":{ } } ', '{"a":[1,2],"b":{}}'],
    ['characters with and without escapes', '{"\\u0061":"\\u00e9\\ud83d\\ude00\\/"}', '{"a":"é😀/"}'],
    ['an array, as a value', '[3,"x",{"b":1,"a":2}]', '{"value":[3,"x",{"b":1,"a":2}]}'],
    ['a string, as a value', '"just text"', '{"value":"just text"}'],
    ['a number, as a value', '7', '{"value":7}'],
    ['null, as a value', 'null', '{"value":null}'],
    ['false, as a value', 'false', '{"value":false}'],
  ] as ReadonlyArray<readonly [string, string, string?]>
).map(([what, sent, kept = sent]) => [what, sent, kept]);

onEveryStorage('the content of documents', (world) => {
  const call: typeof world.call = (...args) => world.call(...args);

  it.each(KEPT)('preserves %s', async (_what, sent, kept) => {
    const { collection, owner, path } = await createShelf(world);
    const { token } = owner;
    const created = await call('POST', `/document/${collection}`, { token, body: sent });
    expect(created.status).toBe(200);
    const { id } = created.data;
    const replaced = await call('PUT', path(id), { token, body: sent });
    const read = await call('GET', path(id), { token });
    const listed = await call('GET', `/document/${collection}`, { token });
    const text = `"_author":"${owner.name}","_updated_by":"${owner.name}"${kept === '{}' ? '' : `,${kept.slice(1, -1)}`}}`;
    for (const answer of [created, replaced, read]) {
      expect(answer.status).toBe(200);
      expect(answer.text).toContain(`${text},"http_code"`);
    }
    expect(listed.text).toContain(`${text}],"more"`);
  });

  it('accepts a document close to the size limit of a body, and rejects a larger one', async () => {
    const { collection, owner, path } = await createShelf(world);
    const body = (bytes: number) => `{"a":"${'é'.repeat((bytes - 8) / 2)}"}`;
    const options = { token: owner.token };
    const { data, status } = await call('POST', `/document/${collection}`, { ...options, body: body(1_048_576) });
    expect(status).toBe(200);
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(digest((await call('GET', path(data.id), options)).data.a)).toBe(digest('é'.repeat(524_284)));
    const refused = await call('POST', `/document/${collection}`, { ...options, body: body(1_048_578) });
    expect([refused.status, refused.body.result]).toEqual([413, 'error']);
  });

  it('cannot override the fields that the service owns', async () => {
    const { create, path, owner } = await createShelf(world);
    const { token } = owner;
    const { id } = await create(
      '{"__proto__":{"isAdmin":true},"_author":"admin","\\u0040version":9,"\\u005fallow":[]}',
    );
    const { text, data } = await call('GET', path(id), { token });
    expect(text.match(/"@version"/g)).toHaveLength(1);
    expect([data._author, data['@version'], Object.hasOwn(data, '_allow')]).toEqual([owner.name, 1, false]);
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
  });

  it.each([
    ['U+0000', '{"a":"x\\u0000y"}'],
    ['U+0000 in a key', '{"a\\u0000":1}'],
    ['U+0000 deep inside', '{"a":[{"b":"\\u0000"}]}'],
    ['a lone high surrogate', '{"a":"\\ud800"}'],
    ['a lone low surrogate', '{"a":"\\udc00\\ud800"}'],
    ['a lone surrogate in a key', '{"\\udbff":1}'],
    ['201 levels', nested(201, '[', ']')],
    ['a number that is too large', '{"a":1e400}'],
    ['a number that is too small', '[-1e999]'],
  ])('rejects %s with 400', async (_what, sent) => {
    const { collection, owner, ids } = await createShelf(world);
    const { status, body } = await call('POST', `/document/${collection}`, { token: owner.token, body: sent });
    expect([status, body.result]).toEqual([400, 'error']);
    expect(await ids({ token: owner.token })).toEqual([]);
  });

  it('names a number that is too large, and nothing after it', async () => {
    const { collection, owner } = await createShelf(world);
    const { body } = await call('POST', `/document/${collection}`, { token: owner.token, body: '[{"a":1e400}]' });
    expect(body.message).toMatch(/: 1e400 at \/0\/a$/);
  });

  it('preserves an escaped backslash before text that looks like an escape', async () => {
    const { create, path, owner } = await createShelf(world);
    const { id } = await create('{"a":"\\\\u0000 \\\\ud800","b":"\\\\\\\\u0000"}');
    const { data } = await call('GET', path(id), { token: owner.token });
    expect([data.a, data.b]).toEqual(['\\u0000 \\ud800', '\\\\u0000']);
  });
});
