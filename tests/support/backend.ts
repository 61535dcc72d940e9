import { createMemoryBlobs } from '@baobab/adapters/memory';
import type { OpenedBlobs as ContractBlobs } from '@baobab/contracts/blobs';
import type { Blobs, Storage } from '@baobab/core';
import { createTestBackend, type TestBackend, type TestBackendOptions } from '@baobab/server/testing';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe } from 'vitest';
import { SERVED_STORAGES, type TestStorage } from './databases.ts';
import { conformance } from './openapi/conformance.ts';
import { until } from './patience.ts';

export interface CallOptions {
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** Sent unchanged, with this media type. */
  readonly bytes?: { readonly type: string; readonly payload: Buffer };
  readonly token?: string | undefined;
  readonly basic?: readonly [name: string, password: string];
  /** Application code; default: the valid one; null: none. */
  readonly appCode?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Client address; default 127.0.0.1. */
  readonly from?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
  readonly text: string;
  readonly bytes: Buffer;
  /** The envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly data: any;
}

export type Call = (method: string, url: string, options?: CallOptions) => Promise<Answer>;

function payloadOf({ body, form, bytes }: CallOptions): Pick<InjectOptions, 'payload' | 'headers'> {
  if (bytes !== undefined) return { payload: bytes.payload, headers: { 'content-type': bytes.type } };
  if (form !== undefined) {
    const payload = new URLSearchParams(form).toString();
    return { payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  }
  if (body === undefined) return {};
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  return { payload, headers: { 'content-type': 'application/json' } };
}

/** Returns undefined if there is none, such as in responses to HEAD. */
function envelopeOf({ headers, body }: Pick<LightMyRequestResponse, 'headers' | 'body'>) {
  return body !== '' && String(headers['content-type']).startsWith('application/json') ? JSON.parse(body) : undefined;
}

/** Also checks every scenario against the OpenAPI document. */
async function expectDocumented(request: InjectOptions, response: LightMyRequestResponse): Promise<void> {
  const { method = 'GET', url, payload, headers: asked = {} } = request;
  const { statusCode: status, headers, body: text, raw } = response;
  // The document describes the server alone. Hooks of extensions may refuse any call.
  if (envelopeOf(response)?.code === 'extension.refused') return;
  const plain =
    payload === undefined ? undefined : { type: raw.req.headers['content-type'] ?? '', text: String(payload) };
  const sent = 'content-encoding' in asked ? null : plain; // the description covers the decoded body
  const check = await conformance();
  check({ method, url: String(url), sent, status, type: headers['content-type']?.toString(), text });
}

/** Sends requests to a backend in the form that a client sends, without a socket. */
export function createCall({ app, appCode }: Pick<TestBackend, 'app' | 'appCode'>): Call {
  return async (method, url, options = {}) => {
    const { payload, headers } = payloadOf(options);
    const code = options.appCode === undefined ? appCode : options.appCode;
    const credentials = options.basic === undefined ? null : Buffer.from(options.basic.join(':')).toString('base64');
    const request: InjectOptions = {
      method: method as NonNullable<InjectOptions['method']>,
      url,
      ...(payload === undefined ? {} : { payload }),
      ...(options.from === undefined ? {} : { remoteAddress: options.from }),
      headers: {
        ...headers,
        ...(code === null ? {} : { 'x-service-appcode': code }),
        ...(options.token === undefined ? {} : { 'x-bb-session': options.token }),
        ...(credentials === null ? {} : { authorization: `Basic ${credentials}` }),
        ...options.headers,
      },
    };
    const response = await app.inject(request);
    await expectDocumented(request, response);
    const body = envelopeOf(response);
    const { statusCode: status, headers: answered, body: text, rawPayload: bytes } = response;
    return { status, headers: answered, text, bytes, body, data: body?.data };
  };
}

/** Context of a scenario. Names are unique, so that scenarios can share a backend. */
export interface World {
  readonly backend: TestBackend;
  /** Blob store of the backend. */
  readonly blobs: Blobs;
  readonly call: Call;
  /** Returns a unique name. */
  unique(prefix: string): string;
  /** Signs up a new user. */
  user(name?: string): Promise<{ readonly name: string; readonly token: string; readonly id: string }>;
  /** Returns a session of the administrator. */
  admin(): Promise<string>;
  /** Creates a collection and returns its name. */
  collection(): Promise<string>;
  /** Resolves when the change feed contains all committed changes. */
  caughtUp(): Promise<void>;
}

let count = 0;

export function createWorld(
  backend: TestBackend,
  blobs: Blobs = createMemoryBlobs(),
  caughtUp: World['caughtUp'] = async () => undefined,
): World {
  const call = createCall(backend);
  let adminToken: Promise<string> | null = null;
  const unique = (prefix: string) => `${prefix}${++count}`;

  async function login(username: string, password: string): Promise<string> {
    const { data, text } = await call('POST', '/login', { body: { username, password } });
    if (data === undefined) throw new Error(text);
    return data['X-BB-SESSION'];
  }

  const admin = () => {
    adminToken ??= login('admin', backend.adminPassword);
    return adminToken;
  };

  return {
    backend,
    blobs,
    call,
    unique,
    admin,
    caughtUp,
    async user(name = unique('user')) {
      const { data, text, status } = await call('POST', '/user', { body: { username: name, password: 'secret' } });
      if (status !== 201) throw new Error(text);
      return { name, token: data['X-BB-SESSION'], id: data.id };
    },
    async collection() {
      const name = unique('books');
      const { status, text } = await call('POST', `/admin/collection/${name}`, { token: await admin() });
      if (status !== 201) throw new Error(text);
      return name;
    },
  };
}

/** Waits until a mark committed now, without an affected user, is before the horizon of the feed. */
async function feedCaughtUp({ changes }: Storage): Promise<void> {
  const audience = 'u:nobody';
  await changes.markVisibility([{ audience, collection: null, reason: 'setting' }], Number.MAX_SAFE_INTEGER);
  const mark = await changes.visibilityChange({ since: 0, audiences: [audience], collections: null });
  await until(async () => (await changes.state()).horizon > (mark?.position ?? 0));
}

/** A blob store for a backend, with a function that removes it. */
export interface OpenedBlobs extends ContractBlobs {
  /** The bytes stored by the backend, through a separate adapter if possible. */
  readonly blobs: Blobs;
  readonly options: Pick<TestBackendOptions, 'blobUrl' | 'blobCredentials' | 'blobStore'>;
}

export async function openMemoryBlobs(): Promise<OpenedBlobs> {
  const blobs = createMemoryBlobs();
  return { blobs, inMemory: true, options: { blobStore: blobs }, dispose: () => blobs.close() };
}

/** Declares the same scenarios for every storage adapter, each with a separate backend. */
export function onEveryStorage(
  title: string,
  scenarios: (world: World) => void,
  options: Omit<TestBackendOptions, 'databaseUrl'> = {},
  openBlobs: () => Promise<OpenedBlobs> = openMemoryBlobs,
  storages = SERVED_STORAGES,
): void {
  describe.each(Object.entries(storages))(`${title}, on %s`, (_name, open) => {
    let storage: TestStorage;
    let blobs: OpenedBlobs;
    let backend: TestBackend;
    let world: World;

    beforeAll(async () => {
      [storage, blobs] = [await open(), await openBlobs()];
      backend = await createTestBackend({ ...options, ...blobs.options, databaseUrl: storage.url });
      const { storage: feed, url } = storage;
      // On Postgres, transactions delay the feed, including those of other tests on the server.
      const caughtUp = url.startsWith('postgres:') ? () => feedCaughtUp(feed) : undefined;
      world = createWorld(backend, blobs.blobs, caughtUp);
    });
    afterAll(async () => {
      await backend.close();
      await storage.dispose();
      await blobs.dispose();
    });

    // Scenarios are declared before the backend exists. They access it when they run.
    const late = new Proxy({} as World, { get: (_target, key: keyof World) => world[key] });
    scenarios(late);
  });
}
