import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FORM_END, FORM_TYPE, partHead } from './files.ts';

/** Length of the repeated pattern in a large file, in bytes. Prime, so that no two neighbouring blocks are equal. */
const PERIOD = 33_554_393;
const PIECE = 262_144;

/** A large file that is not stored: its content is a function of the position. */
export interface BigFile {
  readonly size: number;
  readonly sha256: string;
  pieces(): Generator<Buffer>;
  /** Returns true if `piece` equals the content at `position`. */
  matches(piece: Buffer, position: number): boolean;
}

function createNoise(length: number): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = 1;
  for (let at = 0; at < words.length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = state;
  }
  return Buffer.from(words.buffer, 0, length);
}

export function createBigFile(size: number): BigFile {
  const noise = createNoise(Math.min(size, PERIOD));

  function* pieces(): Generator<Buffer> {
    for (let sent = 0; sent < size; ) {
      const at = sent % noise.length;
      const length = Math.min(PIECE, noise.length - at, size - sent);
      yield noise.subarray(at, at + length);
      sent += length;
    }
  }

  function matches(piece: Buffer, position: number): boolean {
    for (let at = 0; at < piece.length; ) {
      const from = (position + at) % noise.length;
      const length = Math.min(piece.length - at, noise.length - from);
      if (!piece.subarray(at, at + length).equals(noise.subarray(from, from + length))) return false;
      at += length;
    }
    return true;
  }

  const hash = createHash('sha256');
  for (const piece of pieces()) hash.update(piece);
  return { size, sha256: hash.digest('hex'), pieces, matches };
}

type Headers = Readonly<Record<string, string | number>>;

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Sends chunks as fast as they are accepted. Resolves to the response. @throws Error for any status but 2xx */
export async function sendPieces(
  url: string,
  {
    method,
    headers,
    pieces,
  }: { readonly method: string; readonly headers: Headers; readonly pieces: Iterable<Buffer> },
): Promise<string> {
  const outgoing = request(url, { method, headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  const [response] = await Promise.all([
    answered,
    pipeline(Readable.from(pieces, { objectMode: false, highWaterMark: PIECE }), outgoing),
  ]);
  const text = await textOf(response);
  if (response.statusCode === undefined || response.statusCode > 299) throw new Error(text);
  return text;
}

/** Uploads the file through the server's route. Resolves to its details. */
export async function uploadBig(
  address: string,
  file: BigFile,
  headers: Headers,
): Promise<{ readonly id: string; readonly metadata: { readonly sha256: string } }> {
  const head = Buffer.from(partHead({ name: 'file', fileName: 'big.bin', type: 'application/octet-stream' }));
  const end = Buffer.from(`\r\n${FORM_END}`);
  function* form() {
    yield head;
    yield* file.pieces();
    yield end;
  }
  const length = head.length + file.size + end.length;
  const all = { 'content-type': FORM_TYPE, 'content-length': length, ...headers };
  return JSON.parse(await sendPieces(`${address}/file`, { method: 'POST', headers: all, pieces: form() })).data;
}

/** Reads a stream and compares each byte with the file. @param pauseMs pause after each chunk, in milliseconds */
export async function compareBig(url: string, file: BigFile, headers: Headers = {}, pauseMs = 0): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers, agent: false }, resolve).once('error', reject).end();
  });
  let position = 0;
  for await (const chunk of response) {
    const piece = chunk as Buffer;
    if (!file.matches(piece, position)) throw new Error(`the bytes differ from those sent, after ${position}`);
    position += piece.length;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (position !== file.size) throw new Error(`${position} bytes instead of ${file.size}`);
}

const MIB = 1_048_576;

/** Returns the resident memory of a process, in MiB. Linux only. */
function residentMemory(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / MIB;
}

/** Measures the growth of a process's memory during an operation. */
export async function growthOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = residentMemory(pid);
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentMemory(pid));
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return Math.max(most, residentMemory(pid)) - before;
}
