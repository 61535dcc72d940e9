import { STATUS_CODES } from 'node:http';
import type { FastifySchema } from 'fastify';
import { API_VERSION } from '../version.ts';
import { shareTitled } from './components.ts';
import { documentedPath, documentedUrl, type Json, type OpenApi, type Operation, type Response } from './document.ts';
import { addExamples, type Examples } from './examples.ts';
import { type FailingStatus, failingStatuses } from './failures.ts';
import { isDescribed, shapeOf } from './parameters.ts';
import type { Described, ServedRoute } from './routes.ts';
import { SECURITY_SCHEMES, securityOf } from './security.ts';
import { FAILURES, INTRODUCTION, PARAMETERS, TAGS, TITLE } from './words.ts';

const CALL_ID = { name: 'call_id', in: 'query', required: false, schema: { type: 'string' } } as const;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const FAILURE: Json = { $ref: '#/components/schemas/Failure' };

/**
 * Returns the schema of a route in the format of @fastify/swagger: successful responses only, and only named
 * parameters.
 */
function librarySchema({ schema }: ServedRoute): FastifySchema {
  const { params, response = {}, ...rest } = schema;
  const shown = Object.entries(response).filter(([status]) => /^\d+$/.test(status));
  const { '*': path, ...properties } =
    (params as { properties?: Record<string, unknown> } | undefined)?.properties ?? {};
  const named = path === undefined ? params : { ...params, properties: { ...properties, fieldPath: path } };
  return { ...rest, ...(named && { params: named }), response: Object.fromEntries(shown) } as FastifySchema;
}

/**
 * Returns the document that @fastify/swagger generates. The library is loaded lazily, because the document is rarely
 * requested.
 */
async function fromSchemas(routes: readonly ServedRoute[]): Promise<OpenApi> {
  const [{ default: fastify }, { default: swagger }] = await Promise.all([
    import('fastify'),
    import('@fastify/swagger'),
  ]);
  const app = fastify({ exposeHeadRoutes: false });
  // This application serves no requests, so nothing has to be compiled.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: TITLE,
        version: API_VERSION,
        description: INTRODUCTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: '/', description: 'The server that served this document' }],
      components: { securitySchemes: SECURITY_SCHEMES as never },
    },
  });
  for (const route of routes) {
    const { method } = route;
    app.route({ method, url: documentedUrl(route), schema: librarySchema(route), handler: async () => undefined });
  }
  await app.ready();
  const document = structuredClone(app.swagger()) as unknown as OpenApi;
  await app.close();
  return document;
}

function describeBody(operation: Operation, { body, bodyIsOptional = false, takesForms = false }: Described): void {
  const checked = operation.requestBody?.content;
  if (checked !== undefined && takesForms) checked[FORM] = structuredClone(checked[JSON_TYPE] ?? {});
  if (body === undefined) return;
  const content = Object.entries(body).map(([type, schema]) => [type, { schema: structuredClone(schema) as Json }]);
  operation.requestBody = { required: !bodyIsOptional, content: Object.fromEntries(content) };
}

function describeParameters(operation: Operation, { headers = {} }: Described): void {
  const sent = Object.entries(headers).map(([name, schema]) => {
    const { description = '', ...rest } = structuredClone(schema) as { description?: string };
    return { name, in: 'header', required: false, description, schema: rest as Json };
  });
  const callId = { ...CALL_ID, description: 'Repeated in the response' };
  operation.parameters = [...(operation.parameters ?? []).filter(isDescribed), ...sent, callId];
  for (const parameter of operation.parameters) {
    const schema = shapeOf(parameter);
    if (schema !== undefined) parameter.schema = schema;
    parameter.required ??= false;
    parameter.description ??= PARAMETERS[parameter.name] ?? '';
  }
}

/**
 * Returns the response of a failing status: the failure envelope, and any response that the route declares for that
 * status (for example an HTML page).
 */
function failing(
  { status, codes, description: own }: FailingStatus,
  declared: Response | { readonly $ref: string } | undefined,
): Response {
  const description = own === '' ? (FAILURES[status] ?? '') : `${own}\n\n${FAILURES[status] ?? ''}`;
  const content = declared !== undefined && 'content' in declared ? declared.content : {};
  const schema = { allOf: [FAILURE, { properties: { code: { enum: codes } } }] } as unknown as Json;
  return { description, content: { ...content, [JSON_TYPE]: { schema } } };
}

/** Returns the name of a shared response: the name of its status, with a number if several share a status. */
function sharedName(status: number, response: Response, shared: Readonly<Record<string, Response>>): string {
  const name = (STATUS_CODES[status] ?? '').replaceAll(/\W/g, '');
  const text = JSON.stringify(response);
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}${i}`;
    const taken = shared[candidate];
    if (taken === undefined || JSON.stringify(taken) === text) return candidate;
  }
}

function describeResponses(operation: Operation, route: ServedRoute, usual: Record<string, Response>): void {
  for (const [status, response] of Object.entries(operation.responses)) {
    const isUndescribed = 'description' in response && response.description === 'Default Response';
    if (isUndescribed) response.description = FAILURES[Number(status)] ?? STATUS_CODES[status] ?? 'Success';
  }
  for (const failure of failingStatuses(route)) {
    const { status, description } = failure;
    const declared = operation.responses[status];
    const response = failing(failure, declared);
    if (description !== '' || declared !== undefined) {
      operation.responses[status] = response;
      continue;
    }
    const name = sharedName(status, response, usual);
    usual[name] = response;
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

/**
 * Generates the OpenAPI 3.1 document of a server's routes from the schemas that validate requests. This takes time and
 * memory, so cache the result.
 */
export async function describeRoutes(routes: readonly ServedRoute[], examples: Examples): Promise<OpenApi> {
  const document = await fromSchemas(routes);
  const usual: Record<string, Response> = {};
  for (const route of routes) {
    const operation = document.paths[documentedPath(route)]?.[route.method.toLowerCase()];
    if (operation === undefined) throw new Error(`${route.method} ${route.url} is missing from the document`);
    const { describes = {} } = route.config;
    describeBody(operation, describes);
    describeParameters(operation, describes);
    describeResponses(operation, route, usual);
    operation.security = securityOf(route) as unknown as Json;
  }
  document.components.responses = Object.fromEntries(Object.entries(usual).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  shareTitled(document);
  addExamples(document, examples);
  const used = new Set(
    Object.values(document.paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)),
  );
  document.tags = Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
  return document;
}
