import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  AppError,
  type Assets,
  type Authentication,
  type Batches,
  type Blobs,
  type Collections,
  type Documents,
  type DocumentTransactions,
  type Files,
  type Follows,
  type Indexes,
  type Logger,
  type PasswordReset,
  type PushDevices,
  type PushMessages,
  type QueryParser,
  type RoleAdmin,
  type SessionUseCases,
  type Settings,
  type Social,
  type Storage,
  type UserAdmin,
  type UserLists,
  type Users,
} from '@baobab/core';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { createAccessLog, type LineWriter } from './access-log.ts';
import { createAuthenticate } from './authenticate.ts';
import { FOR_CALLER_HEADERS } from './caching.ts';
import { createClientErrorHandler, refuseConnect } from './client-errors.ts';
import { forgetTypeOfNothing, registerJson } from './content-types.ts';
import { CORS_HEADERS, CORS_PAGE_HEADERS, registerPreflight } from './cors.ts';
import { createErrorHandler, sendFailure } from './errors.ts';
import { faultInHost } from './host.ts';
import { answerLate, trackAnswer } from './late-answers.ts';
import { registerNotFound } from './not-found.ts';
import type { RequestMetrics, RequestObserver } from './observers.ts';
import { refuseUnreadable, tolerantUrl } from './paths.ts';
import { collectRoutes } from './reference/routes.ts';
import { assetRoutes } from './routes/asset-reads.ts';
import { assetAdminRoutes } from './routes/assets.ts';
import { batchRoutes } from './routes/batch.ts';
import { collectionRoutes } from './routes/collections.ts';
import { documentGrantRoutes } from './routes/document-grants.ts';
import { documentRoutes } from './routes/documents.ts';
import { fileGrantRoutes } from './routes/file-grants.ts';
import { fileRoutes } from './routes/files.ts';
import { followAdminRoutes } from './routes/follow-admin.ts';
import { healthRoutes } from './routes/health.ts';
import { indexRoutes } from './routes/indexes.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { passwordResetRoutes } from './routes/password-reset.ts';
import { peopleRoutes } from './routes/people.ts';
import { pushRoutes } from './routes/push.ts';
import { referenceRoutes } from './routes/reference.ts';
import { roleRoutes } from './routes/roles.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { settingRoutes } from './routes/settings.ts';
import { socialRoutes } from './routes/social.ts';
import { userAdminRoutes } from './routes/user-admin.ts';
import { userRoutes } from './routes/users.ts';
import { markAnswer, watchConnections } from './sent-after.ts';
import { refuseUnknownQueries } from './unknown-queries.ts';
import { createLongRequests } from './uploads/long-requests.ts';

/** All that the routes call: the composition makes it. */
export interface Services {
  readonly authentication: Authentication;
  readonly users: Users;
  readonly sessions: SessionUseCases;
  readonly collections: Collections;
  readonly indexes: Indexes;
  readonly documents: Documents;
  readonly assets: Assets;
  readonly parseQuery: QueryParser;
  readonly documentTransactions: DocumentTransactions;
  readonly batches: Batches;
  readonly userLists: UserLists;
  readonly follows: Follows;
  readonly userAdmin: UserAdmin;
  readonly roles: RoleAdmin;
  readonly files: Files;
  readonly settings: Settings;
  readonly passwordReset: PasswordReset;
  readonly social: Social;
  readonly pushMessages: PushMessages;
  readonly pushDevices: PushDevices;
  readonly storage: Pick<Storage, 'health'>;
  readonly blobs: Pick<Blobs, 'health'>;
}

export interface AppOptions {
  readonly appCode: string;
  readonly logger: Logger;
  /** Where the line of each request goes; null for none. */
  readonly accessLog?: LineWriter | null;
  /** Counts the requests and serves `GET /metrics`; without it there is no such route. */
  readonly metrics?: RequestMetrics;
  /** Traces the requests; nothing does when absent. */
  readonly tracing?: RequestObserver | null;
  /** Bytes of a JSON body at most. */
  readonly maxJsonBytes?: number;
  /** Bytes of a file at most. */
  readonly maxFileBytes?: number;
  /** Rows of an answer at most. */
  readonly maxPageSize?: number;
  /** Whether the addresses of clients are taken from `X-Forwarded-For`. */
  readonly trustProxy?: boolean;
  /** Where the program is in its life; serving when absent. */
  readonly phase?: () => Phase;
  /** Rejects when another process that serves on the same port does not serve; absent: there are none. */
  readonly colleagues?: () => Promise<void>;
}

/**
 * While it starts, everything but the health routes is refused; while it stops, what still comes is served and its
 * connection closed. `/health/ready` is 200 only in between.
 */
export type Phase = 'starting' | 'serving' | 'stopping';

export const DEFAULT_MAX_JSON_BYTES = 1_048_576;
export const DEFAULT_MAX_FILE_BYTES = 2_147_483_648;
export const DEFAULT_MAX_PAGE_SIZE = 1000;

/**
 * A connection on which nothing moves for so long is closed: half-sent requests end with it, and a request that waits for
 * its answer gets 503. Less than the minute for which clients and proxies usually wait, and more than the limits of
 * databases and blob stores, whose answers say more. Milliseconds.
 */
const IDLE_CONNECTION_MS = 50_000;
/** A request that takes longer to arrive is given up, however steadily it trickles. Milliseconds. */
const REQUEST_LIMIT_MS = 600_000;
/** A connection without a request is closed after so long. Milliseconds. */
const KEEP_ALIVE_MS = 72_000;
const MAX_PARAM_LENGTH = 4096;

/** On every answer. */
const COMMON_HEADERS = { ...CORS_HEADERS, ...FOR_CALLER_HEADERS, 'x-content-type-options': 'nosniff' } as const;

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS).header('X-Request-Id', request.id);
  if (request.headers.origin !== undefined) reply.headers(CORS_PAGE_HEADERS);
}

/** Ids of requests: what a proxy gave them, or a count behind the process's own mark. */
function createRequestIds() {
  const mark = randomBytes(6).toString('base64url');
  let count = 0;
  return ({ headers }: { headers: Record<string, string | string[] | undefined> }): string => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : `${mark}-${(++count).toString(36)}`;
  };
}

function createHttpServer(handler: RequestListener): Server {
  const timeouts = { requestTimeout: REQUEST_LIMIT_MS, keepAliveTimeout: KEEP_ALIVE_MS };
  // We look at the Host header ourselves: Node's refusal has no envelope.
  const server = createServer({ ...timeouts, requireHostHeader: false }, handler);
  return server.setTimeout(IDLE_CONNECTION_MS).on('timeout', answerLate);
}

/** The service over HTTP. It listens nowhere: `listen` or `inject` is the caller's to call. */
export function buildApp(services: Services, options: AppOptions): FastifyInstance {
  const { appCode, logger, phase = () => 'serving' } = options;
  const { maxPageSize = DEFAULT_MAX_PAGE_SIZE, maxJsonBytes = DEFAULT_MAX_JSON_BYTES } = options;
  const genReqId = createRequestIds();
  const longRequests = createLongRequests();
  const app = Fastify({
    logger: false,
    genReqId,
    bodyLimit: maxJsonBytes,
    serverFactory: createHttpServer,
    // One proxy: what its neighbour wrote is believed, what a client wrote before it is not.
    trustProxy: options.trustProxy === true ? (_address, hop) => hop === 0 : false,
    return503OnClosing: false,
    rewriteUrl: (request) => tolerantUrl(request.url ?? '/'),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    clientErrorHandler: createClientErrorHandler(() => genReqId({ headers: {} }), longRequests.has),
    frameworkErrors: (error, request, reply) => {
      // No hook has run.
      setCommonHeaders(request as FastifyRequest, reply);
      createErrorHandler(logger, sendFailure)(error, request as FastifyRequest, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // Answers are sent as text: compiling how to write what schemas say of them would only cost time at the start.
  app.setSerializerCompiler(() => JSON.stringify);
  // Only reserves the place: the authentication hook fills it.
  app.decorateRequest('actor');
  app.decorateRequest('hasAppCode', false);
  app.decorateRequest('usesAlias', false);
  app.decorateRequest('startedAt', 0);
  registerJson(app);
  refuseConnect(app.server, () => genReqId({ headers: {} }));
  const answerNotFound = registerNotFound(app);
  const served = collectRoutes(app as unknown as FastifyInstance);
  app.setErrorHandler(createErrorHandler(logger, sendFailure));

  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    trackAnswer(reply);
    setCommonHeaders(request, reply);
    if (phase() === 'stopping') reply.header('Connection', 'close');
    const fault = faultInHost(request.raw);
    if (fault !== null) {
      // Somebody on the way may see another host, or another end of the request, than we do.
      reply.header('Connection', 'close');
      done(new AppError('input.invalid', { detail: fault }));
    } else if (request.is404) {
      // Before the framework looks at the body, which would be refused with a status that hides this one.
      answerNotFound(request, reply);
    } else {
      forgetTypeOfNothing(request);
      done();
    }
  });
  registerPreflight(app);
  watchConnections(app.server);
  const log = options.accessLog ? createAccessLog(options.accessLog, Date.now) : null;
  const { metrics, tracing } = options;
  // Not onResponse: listening for the end of every response costs more than all that is done here.
  app.addHook('onSend', (request, reply, _payload, done) => {
    const now = performance.now();
    markAnswer(request, now);
    const ms = now - request.startedAt;
    log?.(request, reply, ms);
    metrics?.observe(request, reply, ms);
    tracing?.observe(request, reply, ms);
    done();
  });

  const { storage, blobs } = services;
  app.register(healthRoutes, {
    backends: [
      { health: () => storage.health(), silence: 'storage.unavailable' },
      { health: () => blobs.health(), silence: 'blobs.unavailable' },
      ...(options.colleagues ? [{ health: options.colleagues, silence: 'service.stopping' as const }] : []),
    ],
    isServing: () => phase() === 'serving',
  });
  app.register(referenceRoutes, { routes: served });
  app.register((routes, _options, done) => {
    const authenticate = createAuthenticate({ authentication: services.authentication, appCode });
    routes.addHook('onRequest', (request, reply, next) => {
      const refusal =
        phase() === 'starting' ? new AppError('service.stopping') : refuseUnreadable(request.raw.url ?? '');
      if (refusal === undefined) authenticate(request, reply, next);
      else next(refusal);
    });
    refuseUnknownQueries(routes as unknown as FastifyInstance);
    routes.register(sessionRoutes, { sessions: services.sessions, appCode });
    const { users, userLists, follows, userAdmin, roles, settings, passwordReset, parseQuery: parse } = services;
    routes.register(userRoutes, { users });
    routes.register(peopleRoutes, { userLists, follows, parse, maxPageSize });
    routes.register(userAdminRoutes, { userAdmin, userLists, parse, maxPageSize });
    routes.register(followAdminRoutes, { follows });
    routes.register(roleRoutes, { roles });
    routes.register(settingRoutes, { settings });
    routes.register(passwordResetRoutes, { passwordReset, logger });
    routes.register(socialRoutes, { social: services.social });
    if (metrics) routes.register(metricsRoutes, { metrics });
    routes.register(pushRoutes, {
      pushMessages: services.pushMessages,
      pushDevices: services.pushDevices,
      maxPageSize,
    });
    routes.register(collectionRoutes, { collections: services.collections });
    routes.register(indexRoutes, { indexes: services.indexes });
    const { documents, documentTransactions, batches, assets } = services;
    routes.register(documentRoutes, { documents, transact: documentTransactions, parse, maxPageSize });
    routes.register(batchRoutes, { batches, maxJsonBytes });
    routes.register(documentGrantRoutes, { documents });
    const { maxFileBytes = DEFAULT_MAX_FILE_BYTES } = options;
    const forms = { maxFileBytes, maxFieldBytes: maxJsonBytes, longRequests };
    routes.register(fileRoutes, { files: services.files, parse, maxPageSize, ...forms });
    routes.register(fileGrantRoutes, { files: services.files });
    routes.register(assetAdminRoutes, { assets, parse, maxPageSize, ...forms });
    routes.register(assetRoutes, { assets });
    done();
  });
  return app as unknown as FastifyInstance;
}
