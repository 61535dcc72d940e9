import { isUtf8 } from 'node:buffer';
import {
  type Actor,
  ANONYMOUS,
  AppError,
  type Authentication,
  isAppError,
  isSignedIn,
  KEY_PREFIX,
  type KeyAuthentication,
  type LoginOrigin,
  networkOf,
  requireAdmin,
} from '@baobab/core';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../callers/client-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Actor on whose behalf the request runs. */
    actor: Actor;
    /** True if the request has the application code. Requests with a session do not need it. */
    hasAppCode: boolean;
    /**
     * True if the code was sent in the header `X-BAASBOX-APPCODE`. Clients that use it also expect the plural name in
     * profiles.
     */
    usesAlias: boolean;
  }
  interface FastifyContextConfig {
    /**
     * Callers that may use the route. `user` (default): signed-in users. `admin`: administrators. `anybody`: also
     * callers with only the application code. `open`: all callers; neither the code nor credentials are checked.
     */
    access?: 'user' | 'admin' | 'anybody' | 'open';
    /**
     * Handling of a missing application code. `required` (default): 400. `body`: the code may be in the body, and the
     * route checks it. `session`: an invalid session is reported first. `always`: 401, and a session does not replace
     * the code. `unneeded`: ignored.
     */
    appCode?: 'required' | 'body' | 'session' | 'always' | 'unneeded';
    /**
     * For routes to which clients send stale credentials: an invalid token is ignored. Basic credentials are ignored
     * too, unless the value is `session`.
     */
    ignoresOldCredentials?: boolean | 'session';
    /** True if the actor includes the network of the request, because the route is audited (`audited.ts`). */
    isAudited?: boolean;
  }
}

const TOKEN = 'x-bb-session';
const TOKEN_QUERY = 'X-BB-SESSION';
const APP_CODE_HEADER = 'x-service-appcode';
const APP_CODE_ALIAS_HEADER = 'x-baasbox-appcode';
const APP_CODE_QUERY = 'X-SERVICE-APPCODE';
const APP_CODE_ALIAS_QUERY = 'X-BAASBOX-APPCODE';

/** Returns a value from a header or the query; the header takes precedence. */
function sent({ headers, query }: FastifyRequest, header: string, parameter: string): string | undefined {
  const value = headers[header];
  if (typeof value === 'string') return value;
  const inQuery = (query as Record<string, unknown>)[parameter];
  return typeof inQuery === 'string' ? inQuery : undefined;
}

const CLIENT_HEADER = 'x-bb-client';

/** Returns the client token of an earlier login from its header, or null. */
export function clientIn({ headers }: FastifyRequest): string | null {
  const value = headers[CLIENT_HEADER];
  return typeof value === 'string' && value !== '' ? value : null;
}

const MAX_AGENT_LENGTH = 256;
/** Returns the origin of a login, for the list of sessions. */
export function originOf(request: FastifyRequest): LoginOrigin {
  const agent = request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH) ?? '';
  return { network: networkOf(clientAddress(request)), agent: agent === '' ? null : agent };
}

/**
 * Returns the name and password of Basic credentials (RFC 7617): UTF-8, split at the first colon. Null without
 * credentials.
 *
 * @throws `auth.invalid` if they are malformed
 */
function basicCredentials(request: FastifyRequest): [name: string, password: string] | null {
  const header = request.headers.authorization;
  if (header === undefined || !/^basic /i.test(header)) return null;
  const bytes = Buffer.from(header.slice('basic '.length).trim(), 'base64');
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || text.includes('\0') || !isUtf8(bytes)) throw new AppError('auth.invalid');
  return [text.slice(0, colon), text.slice(colon + 1)];
}

const BEARER = /^bearer +(?=(\S+) *$)/i;

/** Returns the API key sent as a bearer token (RFC 6750), or null. Other bearer tokens are ignored. */
function apiKeyIn({ headers: { authorization } }: FastifyRequest): string | null {
  const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  return token?.startsWith(KEY_PREFIX) ? token : null;
}

/** Percent-encodes all characters except visible ASCII, so that a name can be a header value. */
function headerSafe(name: string): string {
  return /^[\x21-\x24\x26-\x7e]+$/.test(name) ? name : encodeURIComponent(name);
}

type Config = Readonly<FastifyContextConfig>;

/**
 * Reserves all routes under `/admin` for administrators, so that other callers are refused before the request is parsed
 * or validated. Call this before routes are registered.
 */
export function reserveAdminRoutes(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/admin/')) route.config = { ...route.config, access: 'admin' };
  });
}

/** Header of calls that extensions make in the same process. Its value is a secret that is valid during the call. */
export const INTERNAL_HEADER = 'x-baobab-internal';

/** Returns the actor of an internal call by the value of its header; null if there is none. */
export type InternalActor = (secret: string) => Promise<Actor> | null;

export interface AuthenticateOptions {
  readonly authentication: Authentication;
  readonly keyAuthentication: KeyAuthentication;
  readonly appCode: string;
  /** Null without extensions. */
  readonly internalActor: InternalActor | null;
}

/** Creates the authentication hook. */
export function createAuthenticate({ authentication, keyAuthentication, ...options }: AuthenticateOptions) {
  const { appCode, internalActor } = options;

  /** @param actor caller whose session or API key replaces the application code; null if not known yet */
  function checkAppCode(request: FastifyRequest, rule: Config['appCode'], actor: Actor | null): void {
    if (request.hasAppCode) return;
    if (rule === 'always') throw new AppError('app_code.missing');
    const isFreed = actor !== null && (actor.sessionId !== null || actor.key !== null);
    if (!isFreed && (rule ?? 'required') === 'required') throw new AppError('app_code.invalid');
  }

  function admit(request: FastifyRequest, reply: FastifyReply, actor: Actor, config: Config): void {
    checkAppCode(request, config.appCode, actor);
    const { access = 'user' } = config;
    if (access === 'admin') requireAdmin(actor);
    else if (access === 'user' && !isSignedIn(actor)) {
      throw new AppError(config.appCode === 'session' ? 'session.invalid' : 'auth.required');
    }
    // A copy, because requests share their actors.
    request.actor = config.isAudited === true ? { ...actor, network: networkOf(clientAddress(request)) } : actor;
    if (actor.user !== null) reply.header('bb-username', headerSafe(actor.user.name));
  }

  /**
   * Returns the actor of a request whose token is invalid.
   *
   * @throws `session.invalid` unless the route ignores old credentials
   */
  async function withoutSession(request: FastifyRequest, error: unknown, config: Config): Promise<Actor> {
    if (!isAppError(error) || error.code !== 'session.invalid') throw error;
    checkAppCode(request, config.appCode, null);
    if ((config.ignoresOldCredentials ?? false) === false) throw error;
    return byCredentials(request, config);
  }

  async function byCredentials(request: FastifyRequest, config: Config): Promise<Actor> {
    const isIgnored = config.ignoresOldCredentials === true;
    const key = isIgnored ? null : apiKeyIn(request);
    if (key !== null) return keyAuthentication.byKey(key, () => clientAddress(request));
    const credentials = isIgnored ? null : basicCredentials(request);
    if (credentials === null) return ANONYMOUS;
    checkAppCode(request, config.appCode, null);
    const [name, password] = credentials;
    const address = clientAddress(request);
    return authentication.byPassword({ name, password, address, client: clientIn(request) });
  }

  async function identify(request: FastifyRequest, config: Config): Promise<Actor> {
    const alias = sent(request, APP_CODE_ALIAS_HEADER, APP_CODE_ALIAS_QUERY);
    const code = sent(request, APP_CODE_HEADER, APP_CODE_QUERY) ?? alias;
    request.usesAlias = alias !== undefined;
    if (code !== undefined && code !== appCode) throw new AppError('app_code.invalid');
    request.hasAppCode = code !== undefined;
    const secret = internalActor === null ? undefined : request.headers[INTERNAL_HEADER];
    const internal = typeof secret === 'string' ? (internalActor?.(secret) ?? null) : null;
    if (internal !== null) return internal;
    const token = sent(request, TOKEN, TOKEN_QUERY);
    if (token === undefined || token === '') return byCredentials(request, config);
    return authentication.byToken(token).catch((error) => withoutSession(request, error, config));
  }

  async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.actor = ANONYMOUS;
    // Fastify recreates `routeOptions` on each access, which is slow.
    const { config } = request.routeOptions;
    if (config.access !== 'open') admit(request, reply, await identify(request, config), config);
  }

  return {
    authenticate,
    /** Identifies the caller on a route without authentication. @throws as on other routes */
    async identify(request: FastifyRequest): Promise<Actor> {
      const { config } = request.routeOptions;
      const actor = await identify(request, config);
      checkAppCode(request, config.appCode, actor);
      return actor;
    },
  };
}
