import { Agent, type ClientRequest, request } from 'node:http';
import type { Viewer } from '../checks.ts';
import { bytesOf, contentOf } from '../ledger.ts';
import type { Place } from '../place.ts';

/** A mix of all client operations, on data of constant size. */
export interface Churn {
  /** Sends one request; resolves to its status. */
  call(n: number): Promise<number>;
  /** Opens streams, and then replaces the oldest one every second. */
  stream(): void;
  stop(): void;
  readonly counts: Record<'requests' | 'connections' | 'uploads' | 'logins' | 'streams', number>;
}

const COLLECTION = 'churn';
const MAX_DOCUMENTS = 2_000;
const MAX_FILES = 200;
const STREAMS = 15;
/** One request in this many logs in, which costs as much as hundreds of others. */
const LOGIN_EVERY = 400;
/** One request in this many uses a separate connection. */
const FRESH_EVERY = 10;
const SECOND = 1000;
const OK = 200;

export async function createChurn({ client, viewer, password }: Place): Promise<Churn> {
  const { address, admin, writer }: Viewer = viewer();
  const documents = `${address}/document/${COLLECTION}`;
  await client.expect('POST', `${address}/admin/collection/${COLLECTION}`, { token: admin });
  const ids: string[] = [];
  const files: string[] = [];
  const counts = { requests: 0, connections: 0, uploads: 0, logins: 0, streams: 0 };
  const streams: ClientRequest[] = [];
  const agent = new Agent({ maxSockets: 1_000 });
  let timer: NodeJS.Timeout | undefined;

  async function create(n: number): Promise<number> {
    const { status, body } = await client.send('POST', documents, { token: writer, body: contentOf(`k${n}`, n) });
    if (status === OK) ids.push(body.data.id);
    return status;
  }

  async function remove(n: number): Promise<number> {
    const id = ids.length > MAX_DOCUMENTS ? ids.shift() : undefined;
    return id === undefined ? create(n) : (await client.send('DELETE', `${documents}/${id}`, { token: writer })).status;
  }

  async function replace(n: number): Promise<number> {
    const id = ids[n % ids.length];
    if (id === undefined) return create(n);
    // Another request may have deleted it.
    const { status } = await client.send('PUT', `${documents}/${id}`, { token: writer, body: contentOf(`k${n}`, n) });
    return status === 404 ? OK : status;
  }

  async function read(n: number): Promise<number> {
    const id = ids[n % ids.length];
    if (id === undefined) return create(n);
    const { status } = await client.send('GET', `${documents}/${id}`, { token: writer });
    return status === 404 ? OK : status;
  }

  async function upload(n: number): Promise<number> {
    const id = files.length > MAX_FILES ? files.shift() : undefined;
    if (id !== undefined) await client.send('DELETE', `${address}/file/${id}`, { token: writer });
    const { status, body } = await client.send('POST', `${address}/file`, { token: writer, file: bytesOf(`f${n}`) });
    if (status === 201) files.push(body.data.id);
    counts.uploads++;
    return status;
  }

  /** Logs in and out again. */
  async function login(): Promise<number> {
    counts.logins++;
    const body = { username: 'writer', password };
    const answer = await client.send('POST', `${address}/login`, { body });
    if (answer.status !== OK) return answer.status;
    return (await client.send('POST', `${address}/logout`, { token: answer.body.data['X-BB-SESSION'] })).status;
  }

  function fresh(): Promise<number> {
    counts.connections++;
    const headers = { 'x-service-appcode': client.appCode, 'x-bb-session': writer, connection: 'close' };
    return new Promise((resolve) => {
      const sent = request(`${documents}?recordsPerPage=5`, { agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.on('error', () => resolve(500)).end();
    });
  }

  function open(): ClientRequest {
    counts.streams++;
    const headers = { 'x-service-appcode': client.appCode, 'x-bb-session': writer };
    const sent = request(`${address}/changes/stream?collection=${COLLECTION}`, { agent, headers }, (answer) => {
      answer.resume().on('error', () => undefined);
    });
    sent.on('error', () => undefined).end();
    return sent;
  }

  const list = async () => (await client.send('GET', `${documents}?recordsPerPage=20`, { token: writer })).status;
  const steps = [create, read, read, list, replace, upload, read, remove, read];

  return {
    counts,
    call(n) {
      counts.requests++;
      if (n % LOGIN_EVERY === 0) return login();
      if (n % FRESH_EVERY === 0) return fresh();
      return (steps[n % steps.length] ?? read)(n);
    },
    stream() {
      for (let i = 0; i < STREAMS; i++) streams.push(open());
      timer = setInterval(() => {
        streams.shift()?.destroy();
        streams.push(open());
      }, SECOND);
    },
    stop() {
      clearInterval(timer);
      for (const one of streams) one.destroy();
      agent.destroy();
    },
  };
}
