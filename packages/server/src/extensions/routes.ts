import { type Actor, AppError, type JsonObject, type Logger, parseJson, type SchemaCompiler } from '@baobab/core';
import type { ExtensionCall, ExtensionRoute } from '@baobab/http';
import type { InternalCalls } from './data.ts';
import { inTime, routeFailureOf } from './failures.ts';
import type { Caller, JsonSchema, Method, RouteOptions, RouteRequest } from './types.ts';

/** Maximum duration of a handler, in milliseconds. */
const LIMIT_MS = 30_000;
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ACCESS = ['user', 'admin', 'anybody', 'open'] as const;
const PATH = /^\/ext(?:\/(?::[A-Za-z]\w*|[\w.~-]+))+$/;

export interface RouteDeps {
  /** Name of the extension. */
  readonly extension: string;
  readonly logger: Logger;
  readonly schemaCompiler: SchemaCompiler;
  readonly calls: Pick<InternalCalls, 'dataOfCaller'>;
  /** Maximum duration of a handler, in milliseconds; default 30 seconds. */
  readonly limit?: number;
}

export interface DeclaredRoute {
  readonly method: Method;
  readonly path: string;
  readonly options: RouteOptions<JsonSchema | undefined>;
  readonly handler: (request: RouteRequest<never, never>) => unknown;
}

export function callerOf({ user, key, isAdmin }: Actor): Caller | null {
  if (user !== null) return { id: user.id, username: user.name, isAdmin };
  return key === null ? null : { id: key.owner.id, username: null, isAdmin };
}

/** Returns the validation of a body. @throws `Error` for an invalid schema */
function bodyCheck(schema: JsonSchema | undefined, part: string, compiler: SchemaCompiler) {
  if (schema === undefined) return null;
  const compilation = compiler.compile(schema as JsonObject);
  if ('schema' in compilation) return compilation.schema;
  const problems = compilation.problems.map(({ path, message }) => `${path} ${message}`.trim());
  throw new Error(`${part}: the schema of the body is invalid: ${problems.join('; ')}`);
}

/** Returns an id such as `extPostCloseTaskById`. */
function operationIdOf(method: Method, path: string): string {
  const words = path.split(/\W+/).filter((word) => word !== '');
  const [first = '', ...rest] = [words[0] ?? '', method.toLowerCase(), ...words.slice(1)];
  return first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function refuseInvalid({ method, path, options }: DeclaredRoute, part: string): void {
  if (!METHODS.includes(method)) throw new Error(`${part}: the method is one of ${METHODS.join(', ')}`);
  if (!PATH.test(path)) throw new Error(`${part}: a path is "/ext/" and segments such as "tasks" and ":id"`);
  if (!ACCESS.includes(options.access ?? 'user')) throw new Error(`${part}: access is one of ${ACCESS.join(', ')}`);
  const unknown = Object.keys(options).find((name) => !/^(?:access|summary|body|query|returns)$/.test(name));
  if (unknown !== undefined) throw new Error(`${part}: there is no option "${unknown}"`);
}

/** Creates a route from its declaration. @throws `Error` for an invalid declaration */
export function createRoute(declared: DeclaredRoute, deps: RouteDeps): ExtensionRoute {
  const { method, path, options, handler } = declared;
  const { extension, logger, schemaCompiler, calls, limit = LIMIT_MS } = deps;
  const part = `${method} ${path}`;
  refuseInvalid(declared, part);
  const schema = bodyCheck(options.body, part, schemaCompiler);

  function bodyOf(text: string | null): unknown {
    if (text === null) {
      if (schema !== null) throw new AppError('input.empty');
      return undefined;
    }
    const { value } = parseJson(text);
    const problems = schema?.check(value, text.length) ?? [];
    const [first] = problems;
    if (first !== undefined) {
      throw new AppError('input.invalid', { detail: `${first.path} ${first.message}`.trim(), problems });
    }
    return value;
  }

  return {
    method,
    path,
    operationId: operationIdOf(method, path),
    summary: options.summary ?? `Added by the extension ${extension}`,
    access: options.access ?? 'user',
    query: options.query ?? [],
    body: (options.body as JsonObject | undefined) ?? null,
    returns: (options.returns as JsonObject | undefined) ?? null,
    async answer({ actor, requestId, address, params, query, headers, text }: ExtensionCall): Promise<string> {
      const request: RouteRequest<never, never> = {
        caller: callerOf(actor),
        params,
        query,
        headers,
        body: bodyOf(text) as never,
        text,
        data: calls.dataOfCaller(actor, { requestId, address }) as never,
        requestId,
      };
      try {
        const result = await inTime(limit, () => handler(request));
        return JSON.stringify(result) ?? '""';
      } catch (error) {
        throw routeFailureOf(error, { extension, part, requestId }, logger);
      }
    },
  };
}
