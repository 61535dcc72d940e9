import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../support/client.ts';
import { createFolder } from '../support/databases.ts';
import { readDocument } from '../support/markdown.ts';
import { until } from '../support/patience.ts';
import { startProgram } from '../support/program.ts';
import { head } from '../support/sockets.ts';

const SETTINGS = { APP_CODE: 'code', ADMIN_PASSWORD: 'admin password', SECRET_KEY: 'k'.repeat(32), RATE_LIMIT: 'off' };
const MIB = 2 ** 20;
const REQUESTS = 500;
/** Addresses of the hostile clients. One alone can use only a quarter of the memory for bodies. */
const ADDRESSES = 8;

/** Bounds that docs/limits.md states, in MiB. */
const BODIES = 32;
const GARBAGE = 384;
const CONNECTION = 0.25;
const BOUND = BODIES + GARBAGE + REQUESTS * CONNECTION;

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  'sec-websocket-protocol': 'baobab.v1',
};
/** A text of one blank per frame, each with an empty mask, and without a last frame. */
const TINY_FRAMES = Buffer.concat([
  Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x20]),
  ...Array.from({ length: 20_000 }, () => Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20])),
]);

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Returns a figure about the memory of a process, in MiB. */
function memory(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / MIB;
}

interface Hostile {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** True if the request is never completed. */
  readonly isHeld?: boolean;
  /** True to send each byte as a chunk. */
  readonly isChunked?: boolean;
}

const spaces = (bytes: number) => Buffer.alloc(bytes, ' ');
const lists = (bytes: number) => Buffer.from(`{"x":[${'[[[[[[]]]]]],'.repeat(bytes / 13 - 1)}[]]}`);
const WINDOW = { params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 } };

const ATTACKS: Readonly<Record<string, Hostile>> = {
  'brotli with a large window': {
    path: '/login',
    headers: { 'content-encoding': 'br' },
    body: brotliCompressSync(spaces(24 * MIB), WINDOW),
  },
  'gzip bombs': { path: '/batch', headers: { 'content-encoding': 'gzip' }, body: gzipSync(spaces(64 * MIB)) },
  'gzip of lists of lists': { path: '/batch', headers: { 'content-encoding': 'gzip' }, body: gzipSync(lists(MIB / 4)) },
  'lists of lists at a login': { path: '/login', body: lists(MIB / 4) },
  'small lists of lists at a login': { path: '/login', body: lists(4_000) },
  'batches that never end': { path: '/batch', body: spaces(MIB / 4 - 1), isHeld: true },
  'a chunk for each byte': { path: '/batch', body: spaces(10_000), isChunked: true, isHeld: true },
  'forms without a caller': {
    path: '/file',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: spaces(MIB),
  },
};

const connections = (port: number): Promise<Socket[]> =>
  Promise.all(
    Array.from({ length: REQUESTS }, async (_, n) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${1 + (n % ADDRESSES)}` });
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once('connect', resolve));
      return socket;
    }),
  );

/** Sends a request many times at once. Resolves when each was answered, or has arrived as far as it is sent. */
async function attack(port: number, { path, headers, body, isHeld = false, isChunked = false }: Hostile) {
  const length = isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length + (isHeld ? 1 : 0) };
  const asked = { 'x-service-appcode': SETTINGS.APP_CODE, 'content-type': 'application/json', ...headers, ...length };
  const bytes = isChunked
    ? Buffer.from(Array.from(body, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join(''))
    : body;
  const sockets = await connections(port);
  const over = new Set<Socket>();
  for (const socket of sockets) {
    socket.on('data', () => over.add(socket)).on('close', () => over.add(socket));
    socket.write(head('POST', path, asked));
    socket.write(bytes, () => isHeld && over.add(socket));
  }
  await until(() => over.size === REQUESTS);
  for (const socket of sockets) socket.destroy();
}

/** Sends messages in the smallest frames, and never their end. Resolves when the sockets are closed. */
async function attackSockets(port: number) {
  const sockets = await connections(port);
  for (const socket of sockets) {
    socket.write(head('GET', '/live', UPGRADE));
    socket.once('data', () => socket.write(TINY_FRAMES)).resume();
  }
  await until(() => sockets.every(({ closed }) => closed));
}

describe('500 hostile requests at once', () => {
  it.each([
    ...Object.entries(ATTACKS).map(([name, hostile]) => [name, (port: number) => attack(port, hostile)] as const),
    ['messages of sockets in tiny frames', attackSockets] as const,
  ])('stay within the bound of memory that is stated: %s', async (_what, run) => {
    const folder = createFolder();
    cleanups.push(folder.remove);
    const program = startProgram({ ...SETTINGS, DATA_DIR: folder.path });
    cleanups.push(() => program.dispose());
    const address = await program.ready();
    const client = createClient(address, SETTINGS.APP_CODE);
    const login = () => client('POST', '/login', { body: { username: 'admin', password: SETTINGS.ADMIN_PASSWORD } });
    expect((await login()).status).toBe(200);
    const idle = memory(program.pid, 'VmRSS');

    await run(Number(new URL(address).port));
    expect(memory(program.pid, 'VmHWM')).toBeLessThan(2 * idle + BOUND);
    // The kept connection may have been closed in the meantime.
    await until(async () => (await login().catch(() => null))?.status === 200);
  });

  it('have the bound that docs/limits.md states', () => {
    const stated = readDocument('docs/limits.md');
    for (const size of [BODIES, GARBAGE, CONNECTION * 1024]) expect(stated).toContain(`**${size} `);
  });
});
