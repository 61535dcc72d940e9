import { createTestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../support/backend.ts';
import { expectFailure } from '../support/envelope.ts';
import { FORM_END, FORM_TYPE, filePart, multipart, type Part, partHead, stored, upload } from '../support/files.ts';
import { exchange, head, openSocket } from '../support/sockets.ts';

const MAX_FIELD = 10_000;
const MAX_FIELDS = 50;
const JSON_TYPE = 'application/json';

let world: World;
let token: string;
let port: number;
beforeAll(async () => {
  const backend = await createTestBackend({ maxJsonBytes: MAX_FIELD });
  world = createWorld(backend);
  ({ token } = await world.user());
  port = await openSocket(backend.app);
});
afterAll(() => world.backend.close());

const FILE = filePart('x');
const field = (name: string, content: string | Buffer, type?: string): Part => ({
  name,
  content,
  ...(type === undefined ? {} : { type }),
});

async function codeOf(status: number, ...parts: readonly Part[]): Promise<string> {
  const answer = await upload(world, token, ...parts);
  expectFailure(answer, status);
  return answer.body.code;
}

/** Types that clients declare for a field; the parser treats JSON separately. */
const TYPES = [undefined, 'text/plain', JSON_TYPE, 'Application/JSON; charset=UTF-8', 'application/json-patch+json'];

describe.each(TYPES)('a field with the type %s', (type) => {
  it('is stored as it was sent, whatever its members are called', async () => {
    const text = '{"b":1,"__proto__":{"a":"é\\u0001"},"constructor":{"prototype":2},"a":[-0.5]}';
    for (const parts of [
      [FILE, field('attachedData', text, type)],
      [field('attachedData', text, type), FILE],
    ]) {
      const { id } = await stored(world, token, ...parts);
      expect((await world.call('GET', `/file/attachedData/${id}`, { token })).text).toContain(text);
    }
  });

  it('may begin with a byte order mark', async () => {
    const { id } = await stored(world, token, FILE, field('attachedData', '\ufeff{"a":1}', type));
    expect((await world.call('GET', `/file/attachedData/${id}`, { token })).text).toContain('{"a":1}');
  });

  it('that is not JSON is rejected as the input, not as the form', async () => {
    for (const text of ['{', '{"a":1}}', '\ufeff\ufeff{}']) {
      expect(await codeOf(400, FILE, field('attachedData', text, type))).toBe('input.json_invalid');
      expect(await codeOf(400, field('attachedData', text, type), FILE)).toBe('input.json_invalid');
    }
  });

  it('has at most as many bytes as a JSON body', async () => {
    const text = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`;
    for (const name of ['attachedData', 'other']) {
      expect(await codeOf(413, FILE, field(name, text(MAX_FIELD + 1), type))).toBe('input.too_large');
      expect(await codeOf(413, field(name, text(MAX_FIELD + 1), type), FILE)).toBe('input.too_large');
    }
    await stored(world, token, field('other', text(MAX_FIELD), type), FILE);
    await stored(world, token, FILE, field('other', text(MAX_FIELD), type));
    const many = ['a', 'b', 'c'].map((name) => field(name, text(MAX_FIELD), type));
    expect(await codeOf(413, ...many, FILE)).toBe('input.too_large');
    expect(await codeOf(413, FILE, ...many)).toBe('input.too_large');
  });

  it(`comes with at most ${MAX_FIELDS - 1} others`, async () => {
    const fields = Array.from({ length: MAX_FIELDS }, (_, at) =>
      field(`field${at}`, '1', at % 2 === 0 ? type : 'text/x'),
    );
    const more = [...fields, field('more', '1', type)];
    await stored(world, token, FILE, ...fields);
    await stored(world, token, ...fields, FILE);
    for (const parts of [[FILE, ...more], [...more, FILE], more])
      expect(await codeOf(400, ...parts)).toBe('upload.invalid');
  });

  it('is replaced by a later one of the same name', async () => {
    const values = ['{', '{"a":1}'].map((text) => field('attachedData', text, type));
    const last = field('attachedData', '{"a":2}', JSON_TYPE);
    for (const parts of [
      [...values, FILE, last],
      [FILE, ...values, last],
      [...values, last, FILE],
    ]) {
      expect((await stored(world, token, ...parts)).attachedData).toEqual({ a: 2 });
    }
  });

  it('is ignored when nobody asks for its name, also if every object has a member of that name', async () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty', 'other', '']) {
      await stored(world, token, field(name, '{"a":1}', type), FILE);
      const { attachedData } = await stored(
        world,
        token,
        FILE,
        field(name, '1', type),
        field('attachedData', '{"b":2}'),
      );
      expect(attachedData).toEqual({ b: 2 });
      expect(await codeOf(400, field(name, '1', type), field('attachedData', '{}'))).toBe('file.missing');
    }
  });

  it('is rejected when the form ends in its middle', async () => {
    const bytes = multipart(FILE, field('attachedData', '{"a":1}', type));
    for (const parts of [[FILE], []]) {
      const whole = multipart(...parts, field('attachedData', '{"a":1}', type)).payload;
      const start = multipart(...parts).payload.length - FORM_END.length;
      for (let end = start + 1; end < whole.length - 4; end += 7) {
        const answer = await world.call('POST', '/file', {
          token,
          bytes: { ...bytes, payload: whole.subarray(0, end) },
        });
        expectFailure(answer, 400);
        expect([end, answer.body.code]).toEqual([end, 'upload.invalid']);
      }
    }
  });
});

describe('a form', () => {
  const send = (payload: string, type = FORM_TYPE) =>
    world.call('POST', '/file', { token, bytes: { type, payload: Buffer.from(payload) } });

  /** Sends a form over a socket, in chunks of its own. */
  async function sendChunks(chunks: readonly string[]) {
    const headers = {
      'x-service-appcode': world.backend.appCode,
      'x-bb-session': token,
      'content-type': FORM_TYPE,
      'transfer-encoding': 'chunked',
    };
    const body = [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
    const { status, text } = await exchange(port, Buffer.from(head('POST', '/file', headers) + body, 'latin1'));
    return { status, body: JSON.parse(text) };
  }

  it('has one file', async () => {
    for (const parts of [
      [FILE, FILE],
      [FILE, field('a', '1'), FILE],
      [FILE, field('file', '{}', JSON_TYPE)],
    ]) {
      const answer = await upload(world, token, ...parts);
      expect([answer.status, answer.body.code, answer.body.message]).toEqual([
        400,
        'upload.invalid',
        expect.stringContaining('several parts named "file"'),
      ]);
    }
  });

  it('may have text before its first part and after its last', async () => {
    const form = multipart(FILE).payload.toString();
    for (const text of [`before\r\n${form}`, `${form}after`, `${form}${'after\r\n'.repeat(100_000)}`]) {
      expect((await send(text)).status).toBe(201);
    }
  });

  it('may have parts that are not form data, which are ignored', async () => {
    const form = multipart(FILE).payload.toString();
    const [delimiter] = FORM_END.split('--\r\n');
    const other = `${delimiter}\r\nContent-Disposition: attachment; name="file"\r\n\r\ny\r\n`;
    const bare = `${delimiter}\r\n\r\nz\r\n`;
    const { status, body } = await sendChunks([other.repeat(1_500), bare, form]);
    expect([status, body.data?.contentLength]).toEqual([201, 1]);
  });

  it('may have Latin-1 fields, if they say so', async () => {
    const latin1 = field('attachedData', Buffer.from('{"a":"é"}', 'latin1'), 'text/plain; charset=iso-8859-1');
    expect((await stored(world, token, FILE, latin1)).attachedData).toEqual({ a: 'é' });
    expect((await stored(world, token, latin1, FILE)).attachedData).toEqual({ a: 'é' });
  });

  it('has UTF-8 in its fields of JSON, whatever they say', async () => {
    const type = `${JSON_TYPE}; charset=iso-8859-1`;
    const latin1 = field('attachedData', Buffer.from('{"a":"é"}', 'latin1'), type);
    expect(await codeOf(400, FILE, latin1)).toBe('upload.invalid');
    expect(await codeOf(400, latin1, FILE)).toBe('upload.invalid');
    const utf8 = field('attachedData', '{"a":"é"}', type);
    expect((await stored(world, token, utf8, FILE)).attachedData).toEqual({ a: 'é' });
  });

  it('needs a boundary and a body', async () => {
    const form = multipart(FILE).payload.toString();
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary', 'multipart/form-data; bound=x']) {
      const answer = await send(form, type);
      expect([answer.status, answer.body.code]).toEqual([400, 'upload.invalid']);
    }
    for (const text of ['x', '\r\n', '--', FORM_END, partHead({ name: 'file' })]) {
      const { status, body } = await send(text);
      expect([text, status, body.code]).toEqual([text, 400, text === FORM_END ? 'file.missing' : 'upload.invalid']);
    }
  });

  it('is rejected when it has no bytes at all', async () => {
    const { status, body } = await sendChunks([]);
    expect([status, body.code]).toEqual([400, 'upload.invalid']);
  });

  it('may arrive one byte at a time', async () => {
    const parts = [field('acl', '{}', JSON_TYPE), filePart('Hello'), field('attachedData', '{"a":1}', JSON_TYPE)];
    const { status, body } = await sendChunks([...multipart(...parts).payload.toString('latin1')]);
    expect([status, body.data]).toMatchObject([201, { contentLength: 5, attachedData: { a: 1 } }]);
  });
});
