import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFolder } from '../support/databases.ts';
import { type Program, startProgram } from '../support/program.ts';

const HEADERS = { 'X-SERVICE-APPCODE': '1234567890' };
const PASSWORDS = { old: 'the-password-of-the-old-server', fresh: 'the-password-of-the-new-server' };
const BOUNDARY = 'boundary';

let folder: ReturnType<typeof createFolder>;
const programs: Program[] = [];
let archive: Buffer;
let fresh: string;

async function start(name: string, password: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const program = startProgram({
    DATA_DIR: `${folder.path}/${name}`,
    ADMIN_PASSWORD: password,
    RATE_LIMIT: 'off',
    SECRET_KEY: 'a-key-of-more-than-thirty-two-characters',
    ...env,
  });
  programs.push(program);
  return program.ready();
}

const basic = (password: string) => ({
  ...HEADERS,
  authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
});

async function call(base: string, password: string, method: string, path: string, body?: FormData | object) {
  const isForm = body instanceof FormData;
  const response = await fetch(base + path, {
    method,
    headers: { ...basic(password), ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
}

const read = async (base: string, password: string, path: string) =>
  JSON.parse((await call(base, password, 'GET', path)).bytes.toString()).data;

function formOf(name: string, bytes: Uint8Array): FormData {
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(bytes)]), name);
  return form;
}

async function restore(bytes: Uint8Array): Promise<{ readonly status: number; readonly code: string }> {
  const answer = await call(fresh, PASSWORDS.fresh, 'POST', '/admin/backup/restore', formOf('a.tar', bytes));
  return { status: answer.status, code: JSON.parse(answer.bytes.toString()).code };
}

/** Sends the first half of the archive, then closes the connection. */
function sendHalf(): Promise<void> {
  const { hostname, port } = new URL(fresh);
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  const headers = { ...basic(PASSWORDS.fresh), 'content-type': type, 'content-length': archive.length + 1_000 };
  return new Promise((resolve) => {
    const sending = request({ hostname, port, method: 'POST', path: '/admin/backup/restore', headers });
    sending.on('error', () => undefined);
    sending.on('close', resolve);
    sending.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.tar"\r\n\r\n`);
    sending.write(archive.subarray(0, archive.length / 2), () => setTimeout(() => sending.destroy(), 100));
  });
}

beforeAll(async () => {
  folder = createFolder();
  const old = await start('old', PASSWORDS.old);
  await call(old, PASSWORDS.old, 'POST', '/admin/collection/notes');
  await call(old, PASSWORDS.old, 'POST', '/document/notes', { title: 'kept' });
  const picture = Buffer.alloc(300_000, 'bytes of a file');
  const file = await call(old, PASSWORDS.old, 'POST', '/file', formOf('picture.bin', picture));
  expect(file.status).toBe(201);
  archive = (await call(old, PASSWORDS.old, 'POST', '/admin/backup/download')).bytes;
  fresh = await start('fresh', PASSWORDS.fresh);
});
afterAll(async () => {
  for (const program of programs) await program.dispose();
  folder.remove();
});

describe('an archive that is uploaded to a new server', () => {
  it('is refused when it is no archive, damaged or incomplete, which changes nothing', async () => {
    const damaged = Buffer.from(archive);
    damaged[archive.indexOf('kept')] = 'K'.charCodeAt(0);
    const refused = { status: 400, code: 'backup.invalid' };
    expect(await restore(Buffer.from('<html>not an archive</html>'))).toEqual(refused);
    expect(await restore(Buffer.alloc(0))).toEqual(refused);
    expect(await restore(archive.subarray(0, archive.length - 2_000))).toEqual(refused);
    expect(await restore(damaged)).toEqual(refused);
    await sendHalf();
    await expect
      .poll(() => read(fresh, PASSWORDS.fresh, '/admin/backup'))
      .toMatchObject({ restorable: true, restored: null });
    // Until the server has noticed that the upload is cut off, it is busy with it.
    const code = async () =>
      JSON.parse((await call(fresh, PASSWORDS.fresh, 'POST', '/admin/backup/restore', {})).bytes.toString()).code;
    await expect.poll(code).toBe('file.missing');
  });

  it('replaces the data of the server, which starts again', async () => {
    expect((await restore(archive)).status).toBe(202);
    await expect
      .poll(() =>
        call(fresh, PASSWORDS.old, 'GET', '/document/notes').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    expect((await read(fresh, PASSWORDS.old, '/document/notes')).map(({ title }: { title: string }) => title)).toEqual([
      'kept',
    ]);
    const [file] = await read(fresh, PASSWORDS.old, '/file/details');
    expect((await call(fresh, PASSWORDS.old, 'GET', `/file/${file.id}`)).bytes.length).toBe(300_000);
    expect((await call(fresh, PASSWORDS.fresh, 'GET', '/me')).status).toBe(401);
    expect(await read(fresh, PASSWORDS.old, '/admin/backup')).toMatchObject({
      restorable: false,
      restored: { error: null },
    });
  });

  it('is refused once the server has data', async () => {
    const answer = await call(fresh, PASSWORDS.old, 'POST', '/admin/backup/restore', formOf('a.tar', archive));
    expect(JSON.parse(answer.bytes.toString()).code).toBe('backup.not_empty');
  });

  it('is refused by several workers, which would go on with other data', async () => {
    const base = await start('workers', PASSWORDS.fresh, { WORKERS: '2' });
    expect(await read(base, PASSWORDS.fresh, '/admin/backup')).toMatchObject({ restorable: false });
    const answer = await call(base, PASSWORDS.fresh, 'POST', '/admin/backup/restore', formOf('a.tar', archive));
    expect(JSON.parse(answer.bytes.toString()).code).toBe('backup.unsupported');
  });

  it('stops while it is asked to', async () => {
    const [, program] = programs;
    program?.kill('SIGTERM');
    expect((await program?.exit)?.code).toBe(0);
  });
});
