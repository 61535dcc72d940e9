import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathOf } from '../requests/target.ts';
import { httpFailure, sendFailure } from './errors.ts';

export const sendNotFound = (request: FastifyRequest, reply: FastifyReply, message: string): FastifyReply =>
  sendFailure(request, reply, httpFailure('route.not_found', message));

/** Converts a route such as `/document/:collection/:id` to a regular expression. */
function patternOf(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');
  return new RegExp(`^${escaped.replace(/:[A-Za-z]+/g, '[^/]+')}$`);
}

type AnswerNotFound = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * Returns the handler of requests without a route: 405 with `Allow` if the path serves other methods, otherwise 404.
 */
export function registerNotFound(app: FastifyInstance): AnswerNotFound {
  /** Methods by route. */
  const served = new Map<string, string[]>();
  /** Created at the first such request, so that a start does not compile hundreds of regular expressions. */
  let routes: readonly { readonly pattern: RegExp; readonly methods: readonly string[] }[] | null = null;

  app.addHook('onRoute', ({ url, method }) => {
    if (url !== '*') served.set(url, [...(served.get(url) ?? []), method].flat());
  });

  function answer(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const url = request.raw.url ?? '';
    const path = pathOf(url);
    // Not `pathOf`, which removes secrets from the path.
    const [asked = ''] = url.split('?', 1);
    routes ??= Array.from(served, ([route, methods]) => ({ pattern: patternOf(route), methods }));
    const methods = routes.filter(({ pattern }) => pattern.test(asked)).flatMap((route) => route.methods);
    const allowed = [...new Set(methods)].toSorted();
    // A route that serves files did not find one.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      return sendNotFound(request, reply, `There is no ${path}`);
    }
    reply.header('Allow', allowed.join(', '));
    const message = `${request.method} is not allowed. Allowed methods: ${allowed.join(', ')}`;
    return sendFailure(request, reply, httpFailure('method.not_allowed', message));
  }

  app.setNotFoundHandler(answer);
  return answer;
}
