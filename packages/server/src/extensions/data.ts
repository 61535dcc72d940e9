import { randomBytes } from 'node:crypto';
import { createAdminClient } from '@baobab/client/admin';
import { type Actor, AppError } from '@baobab/core';
import { INTERNAL_HEADER, type InternalActor } from '@baobab/http';
import type { FastifyInstance } from 'fastify';
import { inject } from 'light-my-request';
import { runningHook } from './running-hook.ts';
import type { AdminData, Data } from './types.ts';

/** Address of the server for the client. It is never looked up. */
const URL_HERE = 'http://extension.invalid';
const SECRET_BYTES = 32;
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

/** The request in which a call is made. */
interface Origin {
  readonly requestId: string;
  readonly address: string;
}

export interface InternalCalls {
  readonly internalActor: InternalActor;
  /** Returns access to data on behalf of an actor. @param origin null outside of requests */
  dataOf(actor: () => Promise<Actor>, origin: Origin | null): AdminData;
  /** Returns access to data on behalf of the caller of a request. */
  dataOfCaller(actor: Actor, origin: Origin): Data;
}

export interface InternalCallsOptions {
  /** Returns the application, once it exists. */
  readonly app: () => FastifyInstance;
  readonly appCode: string;
  readonly administrator: () => Promise<Actor>;
}

async function bodyOf(input: Request | null, body: unknown): Promise<string | Buffer | undefined> {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body;
  return input === null ? undefined : Buffer.from(await input.arrayBuffer());
}

/**
 * Calls of extensions to the server itself. They are requests without a socket, so that they pass the same checks. A
 * random secret, valid during one call, stands for their actor.
 */
export function createInternalCalls({ app, appCode, administrator }: InternalCallsOptions): InternalCalls {
  const actors = new Map<string, () => Promise<Actor>>();

  const fetchAs =
    (actor: () => Promise<Actor>, origin: Origin | null): typeof fetch =>
    async (input, init = {}) => {
      const url = new URL(String(input));
      const { body } = init;
      const isText = body === undefined || body === null || typeof body === 'string';
      const asked = isText ? null : new Request(url, init as RequestInit);
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      const hook = runningHook.getStore();
      actors.set(secret, async () => {
        if (hook !== undefined && performance.now() > hook.deadline) throw new AppError('extension.timeout');
        return actor();
      });
      try {
        const payload = await bodyOf(asked, body);
        // Not `app.inject`, which a stop refuses while it waits for requests in progress.
        const answer = await inject(app().routing, {
          method: (init.method ?? 'GET') as 'GET',
          url: url.pathname + url.search,
          headers: {
            ...Object.fromEntries(asked?.headers ?? new Headers(init.headers)),
            [INTERNAL_HEADER]: secret,
            ...(origin && { 'x-request-id': origin.requestId }),
          },
          ...(origin && { remoteAddress: origin.address }),
          ...(payload !== undefined && { payload }),
        });
        const { statusCode: status, rawPayload } = answer;
        const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
        );
        return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(rawPayload), { status, headers });
      } finally {
        actors.delete(secret);
      }
    };

  function dataOf(actor: () => Promise<Actor>, origin: Origin | null): AdminData {
    const fetch = fetchAs(actor, origin);
    const { auth: _auth, close: _close, ...data } = createAdminClient({ url: URL_HERE, appCode, fetch, keepAlive: 0 });
    return data;
  }

  return {
    internalActor: (secret) => actors.get(secret)?.() ?? null,
    dataOf,
    dataOfCaller(actor, origin) {
      const { admin: _admin, ...data } = dataOf(async () => actor, origin);
      return { ...data, asAdministrator: () => dataOf(administrator, origin) };
    },
  };
}
