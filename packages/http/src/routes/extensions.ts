import type { Actor, JsonObject } from '@baobab/core';
import { Type } from 'typebox';
import { clientAddress } from '../callers/client-address.ts';
import { sendJson } from '../responses/envelope.ts';
import { operationsIn, type Routes } from './describe.ts';

const operation = operationsIn('extensions');

/** A request to a route of an extension. */
export interface ExtensionCall {
  readonly actor: Actor;
  /** Id of the request in the log. */
  readonly requestId: string;
  /** Network address of the client. */
  readonly address: string;
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Declared parameters of the query. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** JSON text as received; null without a body. */
  readonly text: string | null;
}

/** A route that an extension adds. */
export interface ExtensionRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Pattern of the path, such as `/ext/close-task/:id`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly access: 'user' | 'admin' | 'anybody' | 'open';
  /** Names of the query parameters. */
  readonly query: readonly string[];
  /** JSON Schema of the body, for the API reference; null without one. `answer` validates the body. */
  readonly body: JsonObject | null;
  /** JSON Schema of the data in the response, for the API reference; null if it is not described. */
  readonly returns: JsonObject | null;
  /** Resolves to the data of the response as JSON text. */
  answer(call: ExtensionCall): Promise<string>;
}

/** Routes of extensions. */
export const extensionRoutes: Routes<{ extensionRoutes: readonly ExtensionRoute[] }> = async (app, options) => {
  for (const { method, path, operationId, summary, access, query, body, returns, answer } of options.extensionRoutes) {
    const described = operation(operationId, summary, {
      access,
      querystring: Type.Object(Object.fromEntries(query.map((name) => [name, Type.Optional(Type.String())]))),
      data: returns === null ? Type.Unknown() : Type.Unsafe(returns),
      fails: ['extension.failed', 'extension.refused', 'extension.timeout'],
      ...(body && { describes: { body: { 'application/json': Type.Unsafe(body) } } }),
    });
    const add = method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
    app[add](path, described, async (request, reply) => {
      const data = await answer({
        actor: request.actor,
        requestId: request.id,
        address: clientAddress(request),
        params: request.params as Readonly<Record<string, string>>,
        query: request.query as Readonly<Record<string, string | undefined>>,
        headers: request.headers,
        text: request.json?.text ?? null,
      });
      return sendJson(reply, data);
    });
  }
};
