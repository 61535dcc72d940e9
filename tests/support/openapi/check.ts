import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Media, OpenApi, Operation } from '../../../packages/http/src/reference/document.ts';
import { ALIASES, RESHAPING } from '../../../packages/http/src/reference/parameters.ts';
import { tolerantUrl } from '../../../packages/http/src/requests/target.ts';
import { ALWAYS } from '../../../packages/http/src/validation.ts';
import { closed, createSchemas, type Schemas } from './schemas.ts';

/** A request and its response, as sent. */
export interface Exchanged {
  readonly method: string;
  readonly url: string;
  /** Media type and text of the body; undefined without a body, null if the request must not be checked. */
  readonly sent: { readonly type: string; readonly text: string } | undefined | null;
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

/** @throws Error that describes the missing declaration and its place */
export type Check = (exchanged: Exchanged) => void;

/** The operation in the document that a request belongs to. */
interface Place {
  readonly operation: Operation;
  readonly path: string;
  readonly method: string;
  /** Values of the path parameters. */
  readonly params: Readonly<Record<string, string>>;
}

/** Query parameters of all routes, which belong to the security schemes. */
const CREDENTIALS = ['X-SERVICE-APPCODE', 'X-BAASBOX-APPCODE', 'X-BB-SESSION'];
/** Status of a path without a route for the method (not every `GET` has a `HEAD`). */
const METHOD_NOT_ALLOWED = 405;
const JSON_TYPE = 'application/json';
/** Accepted by lists, which never return grants. */
const OF_ONE_DOCUMENT = 'withAcl';
/** Routes on which the parameters that reshape lists have no effect. */
const OF_ONE_SHAPE = ['countDocuments', 'readDocument'];

/** `GET /document/:id` reads a document in the same way. */
const READ_BY_ID = /^\/document\/(?=[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\/?$)/i;
/** Response of a list whose elements differ from the schema. */
const RESHAPED = {
  type: 'object',
  properties: {
    result: { const: 'ok' },
    data: { type: 'array', items: { type: 'object' } },
    http_code: { const: 200 },
    call_id: { type: 'string' },
    more: { type: 'boolean' },
    total: { type: 'integer' },
    next: { type: 'string' },
  },
  required: ['result', 'data', 'http_code'],
};

const mediaOf = (type = '') => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Returns a function that finds the operation of a request. */
export function createFinder(document: OpenApi): (method: string, url: string) => Place | null {
  const router = findMyWay({ maxParamLength: 4096 });
  for (const [path, item] of Object.entries(document.paths)) {
    const url = path.replace('{fieldPath}', '*').replaceAll(/\{(\w+)\}/g, ':$1');
    for (const [method, operation] of Object.entries(item)) {
      router.on(method.toUpperCase() as HTTPMethod, url, () => undefined, { operation, path, method });
    }
  }
  return (method, url) => {
    const [asked = ''] = tolerantUrl({ url }).split('?', 1);
    const path = method === 'GET' ? asked.replace(READ_BY_ID, '/document/any/') : asked;
    const found = router.find((method === 'HEAD' ? 'GET' : method) as HTTPMethod, path);
    if (found === null) return null;
    const { '*': rest, ...named } = found.params as Record<string, string>;
    return { ...(found.store as Place), params: rest === undefined ? named : { ...named, fieldPath: rest } };
  };
}

/** Returns the code of a failure; null for any other response. */
function codeOf({ status, type, text }: Exchanged): string | null {
  if (status < 400 || text === '' || mediaOf(type) !== JSON_TYPE) return null;
  return (JSON.parse(text) as { readonly code?: string }).code ?? null;
}

const howToAdd = (code: string | null) =>
  code === null ? 'declare it in "response" of the schema' : `add '${code}' to "config.fails" of the route`;

/** Returns the declared content of a response, and its place in the document. */
function contentOf(document: OpenApi, { operation, path, method }: Place, status: number) {
  const declared = operation.responses[status];
  if (declared === undefined) return null;
  const name = '$ref' in declared ? (declared.$ref.split('/').at(-1) ?? '') : null;
  const response = name === null ? declared : document.components.responses[name];
  const content: Readonly<Record<string, Media>> = (response && 'content' in response ? response.content : null) ?? {};
  const place =
    name === null ? ['paths', path, method, 'responses', String(status)] : ['components', 'responses', name];
  return { content, place: [...place, 'content'] };
}

const QUERY_BY_BODY = /^query/;

/** Returns true if parameters change the elements of a list to a shape that the document does not describe. */
function isReshaped({ operation }: Place, { url, status, sent }: Exchanged): boolean {
  if (QUERY_BY_BODY.test(operation.operationId) && status === 200) {
    const body = JSON.parse(sent?.text ?? '{}');
    return [...RESHAPING].some((name) => name in body);
  }
  const query = new URLSearchParams(url.split(/\?(.*)/s, 2)[1] ?? '');
  const declared = (operation.parameters ?? []).map(({ name }) => name);
  // Elsewhere these parameters have no effect; where they would be rejected, they are not checked.
  if (!declared.includes('cursor')) return false;
  const isAsked = [...RESHAPING].some((name) => query.has(name) && !declared.includes(name));
  return isAsked && status === 200 && !OF_ONE_SHAPE.includes(operation.operationId);
}

function checkAnswer(document: OpenApi, schemas: Schemas, at: Place, exchanged: Exchanged): string | null {
  const { status, text, type } = exchanged;
  const found = contentOf(document, at, status);
  if (found === null) return `answers ${status}: ${howToAdd(codeOf(exchanged))}`;
  const { content, place } = found;
  if (exchanged.method === 'HEAD' || (text === '' && Object.keys(content).length === 0)) return null;
  const media = mediaOf(type);
  if (content[media] === undefined && content['*/*'] === undefined) {
    return `answers ${status} as "${media}": declare ${status}: { content: { '${media}': { schema } } } in "response"`;
  }
  if (media !== JSON_TYPE || content[media] === undefined) return null;
  const schema = isReshaped(at, exchanged) ? ['reshaped'] : [...place, media, 'schema'];
  const problem = schemas(schema, JSON.parse(text));
  if (problem?.includes('/code '))
    return `answers ${status} with another code than it says: ${howToAdd(codeOf(exchanged))}`;
  return problem && `answers ${status} with what its schema does not say: ${problem}. It is ${text.slice(0, 500)}`;
}

function checkQuery(document: OpenApi, at: Place, { url }: Exchanged): string | null {
  const { operation } = at;
  // The parameters of lists have no effect there.
  if (READ_BY_ID.test(url.split('?', 1)[0] ?? '')) return null;
  // Third parties append parameters there, which are ignored.
  if (!JSON.stringify(contentOf(document, at, 400)?.content).includes('"query.unknown"')) return null;
  const declared = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
  const sent = [...new URLSearchParams(url.split(/\?(.*)/s, 2)[1] ?? '').keys()];
  const isKnown = (name: string) =>
    [...declared, ...CREDENTIALS, ...ALWAYS, OF_ONE_DOCUMENT].includes(name) ||
    ALIASES.has(name) ||
    RESHAPING.has(name);
  const unknown = sent.find((name) => !isKnown(name));
  return unknown === undefined ? null : `takes "${unknown}" in the query: declare it in "querystring" of the schema`;
}

interface OtherForms {
  readonly login_data?: unknown;
  readonly value?: unknown;
  readonly operations?: ReadonlyArray<{ readonly method: string }>;
}

/** Replaces alternative forms in a body by the form that the document describes. */
function asDescribed(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { login_data, value, operations } = body as OtherForms;
  const described: Record<string, unknown> = { ...body };
  if (login_data === null || login_data === '') delete described.login_data;
  else if (login_data !== undefined) {
    const device = typeof login_data === 'string' ? JSON.parse(login_data) : login_data;
    described.login_data = { ...device, deviceId: device.deviceId ?? device.pushToken };
  }
  if (typeof value === 'number' || typeof value === 'boolean') described.value = String(value);
  if (Array.isArray(operations)) {
    described.operations = operations.map((one) => ({ ...one, method: one.method.toUpperCase() }));
  }
  return described;
}

function checkBody(schemas: Schemas, { operation, path, method }: Place, { sent, text }: Exchanged): string | null {
  const { requestBody } = operation;
  // A batch is accepted even if it contains invalid calls.
  if (operation.operationId === 'runBatch' && text.includes('"result":"error"')) return null;
  if (requestBody === undefined) return null;
  if (sent === undefined || sent === null || sent.text === '') {
    return requestBody.required === true ? 'works without a body: set "config.describes.bodyIsOptional"' : null;
  }
  const media = mediaOf(sent.type);
  if (requestBody.content[media] === undefined) {
    return `takes "${media}": declare it in "config.describes" (takesForms, or body by type)`;
  }
  if (media.startsWith('multipart/')) return null;
  const body =
    media === JSON_TYPE
      ? asDescribed(JSON.parse(sent.text.replace(/^\ufeff/, '')))
      : Object.fromEntries(new URLSearchParams(sent.text));
  const problem = schemas(['paths', path, method, 'requestBody', 'content', media, 'schema'], body);
  return problem && `takes a body that its schema does not say: ${problem}`;
}

/** Creates a check of requests and responses against an OpenAPI document. Unknown paths and methods are not checked. */
export function createCheck(document: OpenApi): Check {
  const described = { ...document, reshaped: RESHAPED };
  const [answers, requests] = [createSchemas(closed(described)), createSchemas(document)];
  const find = createFinder(document);
  return (exchanged) => {
    const { method, url, status } = exchanged;
    const at = method === 'OPTIONS' ? null : find(method, url);
    if (at === null || status === METHOD_NOT_ALLOWED) return;
    const problem =
      checkAnswer(document, answers, at, exchanged) ??
      (status < 300 && exchanged.sent !== null
        ? (checkQuery(document, at, exchanged) ?? checkBody(requests, at, exchanged))
        : null);
    if (problem === null) return;
    const { operation, path } = at;
    throw new Error(`${at.method.toUpperCase()} ${path} (${operation.operationId}) ${problem}. Request: ${url}`);
  };
}
