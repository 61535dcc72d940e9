import { randomBytes } from 'node:crypto';
import { AppError, type Authentication, type KeyAuthentication, type Logger, type Storage } from '@baobab/core';
import multipart from '@fastify/multipart';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { readForwarded, type TrustedProxies, trustFunction } from './callers/client-address.ts';
import { createBodies, type UnreadAnswers } from './callers/memory.ts';
import { createErrorHandler, sendFailure } from './errors/errors.ts';
import { validationMessage } from './errors/input-errors.ts';
import { registerNotFound } from './errors/not-found.ts';
import type { PageLimits } from './lists/paging.ts';
import { createUpgrades, type Upgrades } from './live/upgrades.ts';
import type { Connections, LongRequests } from './program/connections.ts';
import type { Answered, RequestMetrics, RequestObserver } from './program/observers.ts';
import { collectRoutes } from './reference/routes.ts';
import { documentText } from './reference/text.ts';
import { markAuditedRoutes } from './requests/audited.ts';
import { createAuthenticate, type InternalActor, reserveAdminRoutes } from './requests/authenticate.ts';
import { dropTypeOfEmptyBody, registerForms, registerJson } from './requests/bodies.ts';
import { hasServedPath, hostProblem, refuseUnreadable, tolerantUrl } from './requests/target.ts';
import { acknowledgeWrites } from './responses/acknowledge.ts';
import { CORS_HEADERS, CORS_PAGE_HEADERS, FOR_CALLER_HEADERS, registerPreflight } from './responses/headers.ts';
import { answerLate, forgetAnswer, trackAnswer } from './responses/late-answers.ts';
import type { ShownVariable } from './routes/admin/configuration.ts';
import type { OverviewOptions } from './routes/admin/overview.ts';
import type { Routes } from './routes/describe.ts';
import type { ExtensionRoute } from './routes/extensions.ts';
import { type HealthOptions, healthRoutes } from './routes/health.ts';
import { type FeatureOptions, ROUTES, TAKING_FORMS, UPLOADS } from './routes/index.ts';
import type { Page } from './routes/pages.ts';
import { referenceRoutes } from './routes/reference.ts';
import { refuseUnknownMembers, refuseUnknownQueries, schemaCompilers } from './validation.ts';

/** Core services that requests and routes use, provided by the composition. */
export type Services = Omit<FeatureOptions, keyof AppOptions | keyof MadeHere> & {
  readonly authentication: Authentication;
  readonly keyAuthentication: KeyAuthentication;
  readonly storage: Pick<Storage, 'acknowledge'>;
};

export interface AppOptions {
  readonly appCode: string;
  readonly logger: Logger;
  readonly connections: Connections;
  readonly unread: UnreadAnswers;
  /** Pages for browsers. */
  readonly webPages: readonly Page[];
  /** Metrics of `GET /metrics`. Null disables the route. */
  readonly metrics: RequestMetrics | null;
  /** Notified of every request. */
  readonly observers: readonly RequestObserver[];
  /** Largest JSON body, in bytes. */
  readonly maxJsonBytes: number;
  /** Maximum memory for the bodies of requests in progress, in bytes. Absent: only the limits of `createBodies`. */
  readonly maxBodyMemory?: number;
  /** Largest file, in bytes. */
  readonly maxFileBytes: number;
  readonly pages: PageLimits;
  /** Proxies whose client addresses are trusted. */
  readonly trustProxy: TrustedProxies;
  /** Environment variables as administrators see them. */
  readonly environment: readonly ShownVariable[];
  /** Checks of the running server, for administrators. */
  readonly checks: OverviewOptions['checks'];
  /** Current phase of the program. */
  readonly phase: () => Phase;
  /** Backends that the server needs to be ready. */
  readonly backends: HealthOptions['backends'];
  readonly extensionRoutes: readonly ExtensionRoute[];
  /** Returns the actor of a call that an extension makes in this process; null for other tokens. Absent without extensions. */
  readonly internalActor?: InternalActor;
}

/** Route options that `buildApp` creates. */
interface MadeHere {
  readonly answered: Answered;
  readonly longRequests: LongRequests;
  readonly upgrades: Upgrades;
  readonly maxFieldBytes: number;
}

/**
 * `starting`: all routes except the health routes refuse requests. `stopping`: requests are still served, and their
 * connections closed. `/health/ready` is 200 only while `serving`.
 */
type Phase = 'starting' | 'serving' | 'stopping';

const MAX_PARAM_LENGTH = 4096;

/** Sent with every response. */
const COMMON_HEADERS = { ...CORS_HEADERS, ...FOR_CALLER_HEADERS, 'x-content-type-options': 'nosniff' } as const;

/** Header names are in lower case, because Fastify would convert others for each response, which is slower. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
  if (request.headers.origin !== undefined) reply.headers(CORS_PAGE_HEADERS);
}

/**
 * Creates the generator of request ids: the `X-Request-Id` of a proxy, or a counter with a random prefix per process.
 */
function createRequestIds() {
  const mark = randomBytes(6).toString('base64url');
  let count = 0;
  return ({ headers }: { headers: Record<string, string | string[] | undefined> }): string => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : `${mark}-${(++count).toString(36)}`;
  };
}

/** Builds the HTTP server without listening: the caller calls `listen` or `inject`. */
export function buildApp(services: Services, options: AppOptions): FastifyInstance {
  const { appCode, logger, connections, observers, maxJsonBytes, phase } = options;
  const trust = trustFunction(options.trustProxy);
  const app = Fastify({
    logger: false,
    genReqId: createRequestIds(),
    bodyLimit: maxJsonBytes,
    serverFactory: (handler) => connections.createServer(handler).on('timeout', answerLate),
    trustProxy: trust,
    return503OnClosing: false,
    rewriteUrl: tolerantUrl,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: schemaCompilers(),
    schemaErrorFormatter: (problems, part) => new Error(validationMessage(problems, part)),
    clientErrorHandler: connections.onClientError,
    frameworkErrors: (error, request, reply) => {
      // No hook has run yet.
      setCommonHeaders(request as FastifyRequest, reply);
      createErrorHandler(logger, sendFailure)(error, request as FastifyRequest, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.decorate('unread', options.unread);
  const bodies = createBodies(maxJsonBytes, options.maxBodyMemory);
  app.decorate('bodies', bodies);
  app.decorateRequest('held', null);
  // Only reserves the property; the authentication hook sets it.
  app.decorateRequest('actor');
  app.decorateRequest('hasAppCode', false);
  app.decorateRequest('usesAlias', false);
  app.decorateRequest('startedAt', 0);
  registerJson(app);
  const answerNotFound = registerNotFound(app);
  reserveAdminRoutes(app as unknown as FastifyInstance);
  refuseUnknownMembers(app as unknown as FastifyInstance);
  const served = collectRoutes(app as unknown as FastifyInstance);
  app.setErrorHandler(createErrorHandler(logger, sendFailure));

  if (trust) readForwarded(app as unknown as FastifyInstance);
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    trackAnswer(reply);
    setCommonHeaders(request, reply);
    if (phase() === 'stopping') reply.header('Connection', 'close');
    const problem = hostProblem(request.raw);
    if (problem !== null) {
      // An intermediate proxy may have read another host, or another end of the request.
      reply.header('Connection', 'close');
      done(new AppError('input.invalid', { detail: problem }));
    } else if (!hasServedPath(request)) {
      done(new AppError('path.segment_invalid'));
    } else if (request.is404) {
      // Before the framework checks the body: its refusal would have a different status, which would hide this one.
      answerNotFound(request, reply);
    } else {
      dropTypeOfEmptyBody(request);
      done();
    }
  });
  registerPreflight(app);
  const { storage } = services;
  if (storage.acknowledge) acknowledgeWrites(app as unknown as FastifyInstance, storage.acknowledge);
  function answered(request: FastifyRequest, reply: FastifyReply): void {
    const ms = performance.now() - request.startedAt;
    for (const observer of observers) observer.observe(request, reply, ms);
  }
  // Not onResponse: listening for the end of every response costs more than all the work here.
  app.addHook('onSend', (request, reply, _payload, done) => {
    forgetAnswer(reply);
    bodies.release(reply);
    answered(request, reply);
    done();
  });
  // Before connections are closed: streams do not end unless stopped.
  app.addHook('preClose', (done) => {
    services.changeStreams.stop();
    done();
  });

  app.register(healthRoutes, { backends: options.backends, isServing: () => phase() === 'serving' });
  const { authenticate, identify } = createAuthenticate({
    authentication: services.authentication,
    keyAuthentication: services.keyAuthentication,
    appCode,
    internalActor: options.internalActor ?? null,
  });
  const { collections, collectionSchemas } = services;
  const document = documentText(served);
  app.register(referenceRoutes, { document, collections, collectionSchemas, identify });
  for (const page of options.webPages) app.register(page, { document });
  const upgrades = createUpgrades();
  upgrades.listen(app as unknown as FastifyInstance);
  const { longRequests } = connections;
  const all = { ...services, ...options, answered, longRequests, upgrades, maxFieldBytes: maxJsonBytes };
  const features: Routes<object> = async (routes) => {
    routes.addHook('onRequest', async (request, reply) => {
      if (phase() === 'starting') throw new AppError('service.stopping');
      await authenticate(request, reply);
    });
    // After authentication: callers who may not use a route learn nothing about their request.
    routes.addHook('onRequest', (request, _reply, next) => next(refuseUnreadable(request.raw.url ?? '')));
    refuseUnknownQueries(routes as unknown as FastifyInstance);
    markAuditedRoutes(routes as unknown as FastifyInstance);
    let forms = routes;
    const makeForms: Routes<object> = async (scope) => {
      registerForms(scope as unknown as FastifyInstance);
      forms = scope;
    };
    await routes.register(makeForms);
    // Two scopes for all features: a scope per feature would add 10 ms to the start.
    for (const feature of new Set<Routes<FeatureOptions>>(Object.values(ROUTES)))
      await feature(TAKING_FORMS.has(feature) ? forms : routes, all);
    // In a separate scope, because the parser listens for the end of every response.
    routes.register((uploads, _options, ready) => {
      uploads.register(multipart);
      for (const feature of Object.values(UPLOADS) as readonly Routes<FeatureOptions>[]) uploads.register(feature, all);
      ready();
    });
  };
  app.register(features);
  return app as unknown as FastifyInstance;
}
