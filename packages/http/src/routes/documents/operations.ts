import {
  type Actor,
  AppError,
  type DocumentPath,
  type Documents,
  expectedVersion,
  isUuid,
  type ParsedJson,
  type PatchKind,
} from '@baobab/core';
import { Type } from 'typebox';
import { expandOf, type ListRoutes, queryIn } from '../../lists/criteria.ts';
import { documentJson, expandedJson } from '../../render/document.ts';
import { JSON_TYPE, jsonBody, MERGE_PATCH } from '../../requests/bodies.ts';
import { mediaTypeOf } from '../../requests/media-type.ts';
import { createPauses } from '../../requests/pauses.ts';
import { type RawQuery, textOf } from '../../requests/target.ts';
import {
  AnyJson,
  Count,
  CountQuery,
  CreationQuery,
  Document,
  DocumentQuery,
  FieldBody,
  FieldParams,
  FieldRemoval,
  FieldRemovalQuery,
  FieldValue,
  Grants,
  MergePatch,
  Patch,
  RemovalQuery,
  WrittenDocument,
} from '../../schemas/documents.ts';
import {
  ON_DOCUMENT,
  ON_EXPAND,
  ON_FIELD,
  ON_FIELD_SET,
  ON_GRANTS,
  ON_JSON,
  ON_PATCH,
  ON_RULES,
  ON_SEARCH,
  ON_VERSION,
} from '../../schemas/failing.ts';
import {
  type DescribedOptions,
  type Method,
  type Own,
  operationsIn,
  type ParameterIn,
  type Schema,
} from '../describe.ts';

/** Input of an operation: a Fastify request, or an operation of a batch. */
export interface DocumentCall<Parameter extends string = string> {
  readonly actor: Actor;
  readonly params: Readonly<Record<Parameter, string>>;
  readonly query: RawQuery;
  /** Path and query, not decoded. */
  readonly url: string;
  /** Null without a body. */
  readonly json: ParsedJson | null;
  readonly headers: { readonly 'content-type'?: string | undefined };
}

export interface DocumentOperationOptions extends ListRoutes {
  /** Maximum content of a document, in bytes. */
  readonly maxJsonBytes: number;
}

/** Resolves to the data of the response as JSON text, or to an empty text for a response without content. */
type Work = (on: Documents) => Promise<string>;

interface Behaviour<Parameter extends string> {
  /** Reads the input of a call. Invalid input throws here, before a transaction begins. */
  prepare(call: DocumentCall<Parameter>, options: DocumentOperationOptions): Work;
  /** True if the call reads before it writes, so that it needs a transaction. */
  readonly isCompound?: (call: DocumentCall) => boolean;
  /** True if batches cannot call it. */
  readonly isAlone?: boolean;
}

/** An operation on documents: a route that batches can call as well. */
export interface DocumentOperation extends Behaviour<string> {
  readonly method: Method;
  readonly path: string;
  readonly options: DescribedOptions<unknown, unknown, unknown>;
  readonly isKeyed: boolean;
}

const operation = operationsIn('documents');

function define<Path extends string>(
  method: Method,
  path: Path,
  [operationId, summary]: readonly [string, string],
  { prepare, isCompound, isAlone, ...own }: Own<Schema, Schema, Schema> & Behaviour<ParameterIn<Path>>,
): DocumentOperation {
  const behaviour = { prepare, isCompound, isAlone } as Behaviour<string>;
  return { method, path, options: operation(operationId, summary, own), isKeyed: own.isKeyed === true, ...behaviour };
}

/** Number of segments before the field in a path split at its slashes: an empty one, `document`, collection, id. */
const PARTS_BEFORE = 4;

/**
 * Returns the path segments after the document, each decoded separately. The router decodes its own parameter as a
 * whole, which would turn an escaped slash in a name into a separator.
 */
function fieldIn({ url, params: { collection, id } }: DocumentCall<'collection' | 'id'>) {
  const [path = ''] = url.split('?', 1);
  return { collection, id, parts: path.split('/').slice(PARTS_BEFORE).map(decodeURIComponent) };
}

const VERSION = /^\d{1,15}$/;

/**
 * Returns the expected version of a document or field to remove, from the query or the body, or null.
 *
 * @throws `document.version_invalid`
 */
function removedVersion(query: RawQuery, body: ParsedJson | null): number | null {
  const version = textOf(query, 'version');
  if (version === null) return body === null ? null : expectedVersion(body);
  if (!VERSION.test(version)) throw new AppError('document.version_invalid', { input: 'version' });
  return Number(version);
}

/** @throws `patch.invalid` for a media type that routes do not parse */
function patchKind({ headers }: DocumentCall): PatchKind {
  const type = mediaTypeOf(headers['content-type'] ?? JSON_TYPE);
  if (type === JSON_TYPE) return 'operators';
  if (type === MERGE_PATCH) return 'merge';
  throw new AppError('patch.invalid', { detail: `its content_type must be ${JSON_TYPE} or ${MERGE_PATCH}` });
}

/** Returns the documents that a change locks. @param id absent for a new document */
export const changedBy = (id: string | undefined) => (id !== undefined && isUuid(id) ? [id.toLowerCase()] : []);

/** Reads one document, with its grants and expanded references if the query requests them. */
function read(
  { actor, query }: Pick<DocumentCall, 'actor' | 'query'>,
  path: DocumentPath,
  { pages }: DocumentOperationOptions,
): Work {
  const references = query.expand === undefined ? null : expandOf(query);
  const isWithGrants = query.withAcl === 'true';
  return async (on) => {
    const { document, grants } = isWithGrants
      ? await on.readWithGrants(actor, path)
      : { document: await on.read(actor, path), grants: null };
    if (references === null) return documentJson(document, grants);
    const request = { references, maxBytes: pages.maxPageBytes, pause: createPauses() };
    return expandedJson(await on.expand(actor, document, request), grants);
  };
}

/** Reads the document whose id is in place of the collection. */
export const readById: Behaviour<'collection'>['prepare'] = (call, options) =>
  read(call, { collection: null, id: call.params.collection }, options);

const done =
  (change: (on: Documents) => Promise<unknown>, data = '""'): Work =>
  async (on) => {
    await change(on);
    return data;
  };

const DOCUMENT = '/document/:collection/:id';
/** One or more segments after the document, each beginning with a dot. */
const FIELD = `${DOCUMENT}/.*`;

/** Grantees of a permission, with the path parameter that names them. */
export const GRANTEES = [
  { kind: 'user', name: 'User', parameter: 'username' },
  { kind: 'role', name: 'Role', parameter: 'rolename' },
  { kind: 'group', name: 'Group', parameter: 'groupId' },
] as const;

const CONTENT: readonly DocumentOperation[] = [
  define('post', '/document/:collection', ['createDocument', 'Create a document'], {
    querystring: CreationQuery,
    body: AnyJson,
    data: Document,
    isKeyed: true,
    fails: [
      'access.denied',
      'collection.not_found',
      'document.duplicate',
      'document.exists',
      'document.invalid',
      'document.version_invalid',
      ...ON_GRANTS,
      ...ON_JSON,
      ...ON_RULES,
    ],
    prepare: (call) => {
      const id = textOf(call.query, 'id') ?? undefined;
      const creation = { collection: call.params.collection, id, body: jsonBody(call) };
      return async (on) => documentJson(await on.create(call.actor, creation));
    },
  }),
  define('get', '/document/:collection/count', ['countDocuments', 'Count the documents that the caller may read'], {
    querystring: CountQuery,
    data: Count,
    fails: ['collection.not_found', 'criteria.invalid', 'json.number_inexact', ...ON_SEARCH, 'search.too_long'],
    access: 'anybody',
    isAlone: true,
    prepare: ({ actor, params, query }, { parseQuery }) => {
      const wanted = queryIn(query, parseQuery);
      return async (on) => `{"count":${await on.count(actor, params.collection, wanted)}}`;
    },
  }),
  define('get', DOCUMENT, ['readDocument', 'Read a document'], {
    querystring: DocumentQuery,
    data: Document,
    fails: [...ON_DOCUMENT, ...ON_EXPAND],
    access: 'anybody',
    prepare: (call, options) => read(call, call.params, options),
  }),
  define('put', DOCUMENT, ['replaceDocument', 'Replace the content of a document'], {
    body: AnyJson,
    data: WrittenDocument,
    isKeyed: true,
    fails: [...ON_DOCUMENT, 'document.duplicate', 'document.invalid', ...ON_VERSION, ...ON_JSON, ...ON_RULES],
    prepare: (call) => {
      const change = { ...call.params, body: jsonBody(call) };
      return async (on) => documentJson(await on.replace(call.actor, change));
    },
  }),
  define('patch', DOCUMENT, ['patchDocument', 'Change several fields of a document'], {
    body: AnyJson,
    data: WrittenDocument,
    isKeyed: true,
    fails: ON_PATCH,
    describes: { body: { [JSON_TYPE]: Patch, [MERGE_PATCH]: MergePatch } },
    prepare: (call, { maxJsonBytes: maxBytes }) => {
      const patch = { ...call.params, kind: patchKind(call), body: jsonBody(call), maxBytes };
      return async (on) => documentJson(await on.patch(call.actor, patch));
    },
  }),
  define('delete', DOCUMENT, ['removeDocument', 'Remove a document'], {
    querystring: RemovalQuery,
    response: { 204: Type.Null() },
    isKeyed: true,
    fails: [...ON_DOCUMENT, ...ON_VERSION, 'document.has_children', 'rule.refused'],
    isCompound: ({ query }) => query.version !== undefined,
    prepare: ({ actor, params, query }) => {
      const version = removedVersion(query, null);
      return done((on) => on.remove(actor, params, version), '');
    },
  }),
];

const FIELDS: readonly DocumentOperation[] = [
  define('get', FIELD, ['readDocumentField', 'Read a field of a document'], {
    params: FieldParams,
    data: FieldValue,
    fails: [...ON_DOCUMENT, 'field.not_found', 'field.owned', 'field.path_invalid'],
    access: 'anybody',
    prepare: (call) => async (on) => `{"result":${await on.readField(call.actor, fieldIn(call))}}`,
  }),
  define('put', FIELD, ['setDocumentField', 'Set a field of a document'], {
    params: FieldParams,
    body: Type.Unknown(),
    data: WrittenDocument,
    isKeyed: true,
    fails: ON_FIELD_SET,
    describes: { body: { [JSON_TYPE]: FieldBody } },
    prepare: (call, { maxJsonBytes: maxBytes }) => {
      const change = { ...fieldIn(call), body: jsonBody(call), maxBytes };
      return async (on) => documentJson(await on.setField(call.actor, change));
    },
  }),
  define('delete', FIELD, ['removeDocumentField', 'Remove a field of a document'], {
    params: FieldParams,
    querystring: FieldRemovalQuery,
    data: WrittenDocument,
    isKeyed: true,
    fails: [...ON_FIELD, 'field.not_found', 'input.json_invalid'],
    describes: { body: { [JSON_TYPE]: FieldRemoval }, bodyIsOptional: true },
    prepare: (call) => {
      const removal = { ...fieldIn(call), version: removedVersion(call.query, call.json) };
      return async (on) => documentJson(await on.removeField(call.actor, removal));
    },
  }),
];

const GRANTS: readonly DocumentOperation[] = [
  define('put', `${DOCUMENT}/acl`, ['setDocumentGrants', 'Replace all grants on a document'], {
    body: Type.Unknown(),
    fails: [...ON_DOCUMENT, 'grant.action_unknown', ...ON_GRANTS, ...ON_JSON],
    describes: { body: { [JSON_TYPE]: Grants } },
    prepare: (call) => {
      const change = { ...call.params, body: jsonBody(call) };
      return done((on) => on.setGrants(call.actor, change));
    },
  }),
  ...GRANTEES.flatMap(({ kind, name, parameter }) => {
    const path = `${DOCUMENT}/:action/${kind}/:${parameter}` as const;
    const fails = [...ON_DOCUMENT, 'grant.action_unknown', `${kind}.not_found`] as const;
    const change = ({ collection, id, action, [parameter]: to }: Record<ParameterIn<typeof path>, string>) => ({
      collection,
      id,
      action,
      grantee: { kind, name: to },
    });
    return [
      define('put', path, [`grantDocumentTo${name}`, `Grant a ${kind} a right on a document`], {
        fails,
        prepare: ({ actor, params }) => done((on) => on.grant(actor, change(params))),
      }),
      define('delete', path, [`revokeDocumentFrom${name}`, `Revoke a right on a document from a ${kind}`], {
        fails,
        prepare: ({ actor, params }) => done((on) => on.revoke(actor, change(params))),
      }),
    ];
  }),
];

/** Operations on one document. The first that matches a call serves it. */
export const DOCUMENT_OPERATIONS: readonly DocumentOperation[] = [...CONTENT, ...FIELDS, ...GRANTS];
