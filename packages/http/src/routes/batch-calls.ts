import {
  type Actor,
  AppError,
  type DocumentPath,
  type Documents,
  type GrantChange,
  isUuid,
  type ParsedJson,
  type PatchKind,
  requireSignedIn,
} from '@baobab/core';
import { MERGE_PATCH } from '../content-types.ts';
import { documentJson } from '../render/document.ts';
import { removedVersion } from './document-fields.ts';
import { readJson } from './document-reads.ts';

/** Operation of a batch as the client sent it. */
export interface BatchCall {
  readonly method: string;
  /** Segments of the path after `/document`, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  /** Media type of the body; JSON if absent. */
  readonly contentType: string | undefined;
  /** @throws `input.empty`, `input.too_large` */
  body(): ParsedJson;
  /** Null without a body. @throws `input.too_large` */
  optionalBody(): ParsedJson | null;
}

/** Use case of an operation. */
export interface Served {
  readonly isWrite: boolean;
  /** Id of the document that the operation may change; null if it creates one or changes none. */
  readonly changes: string | null;
  readonly status: number;
  /** Resolves to the payload as JSON text. */
  run(documents: Documents): Promise<string>;
}

const NO_PAYLOAD = '""';

export interface BatchContext {
  readonly actor: Actor;
  /** Maximum content, in bytes. */
  readonly maxJsonBytes: number;
  /** See `PageLimits`. */
  readonly maxPageBytes: number;
}

const reads = (run: Served['run']): Served => ({ isWrite: false, changes: null, status: 200, run });

function writes(actor: Actor, changes: string | null, run: Served['run'], status = 200): Served {
  return {
    isWrite: true,
    changes: changes === null || !isUuid(changes) ? null : changes.toLowerCase(),
    status,
    async run(documents) {
      requireSignedIn(actor); // before the body is checked, as in the routes
      return run(documents);
    },
  };
}

function onCollection(call: BatchCall, context: BatchContext): Served | null {
  const { method, parts, body } = call;
  const { actor } = context;
  const [collection = ''] = parts;
  if (method === 'POST') {
    return writes(actor, null, async (documents) =>
      documentJson(await documents.create(actor, { collection, body: body() })),
    );
  }
  return method === 'GET' && isUuid(collection) ? readOne(call, context, { collection: null, id: collection }) : null;
}

function readOne({ query }: BatchCall, { actor, maxPageBytes }: BatchContext, path: DocumentPath): Served {
  const [expand, ...more] = query.getAll('expand');
  const asked = { withAcl: query.get('withAcl'), expand: more.length === 0 ? expand : [expand, ...more] };
  return reads((documents) => readJson(documents, actor, { path, query: asked, maxBytes: maxPageBytes }));
}

/** @throws `patch.invalid` */
function patchKind(contentType = 'application/json'): PatchKind {
  if (contentType === 'application/json') return 'operators';
  if (contentType === MERGE_PATCH) return 'merge';
  throw new AppError('patch.invalid', { detail: `its content_type must be application/json or ${MERGE_PATCH}` });
}

function onDocument(call: BatchCall, context: BatchContext): Served | null {
  const { method, parts, body, query, contentType } = call;
  const { actor, maxJsonBytes } = context;
  const [collection = '', id = ''] = parts;
  const path = { collection, id };
  if (method === 'GET') return id === 'count' ? null : readOne(call, context, path);
  if (method === 'PUT') {
    return writes(actor, id, async (documents) =>
      documentJson(await documents.replace(actor, { ...path, body: body() })),
    );
  }
  if (method === 'PATCH') {
    const kind = patchKind(contentType);
    return writes(actor, id, async (documents) =>
      documentJson(await documents.patch(actor, { ...path, kind, body: body(), maxBytes: maxJsonBytes })),
    );
  }
  if (method !== 'DELETE') return null;
  const remove = async (documents: Documents) => {
    await documents.remove(actor, path, removedVersion(null, query.get('version')));
    return NO_PAYLOAD;
  };
  return writes(actor, id, remove, 204);
}

function onField(call: BatchCall, { actor, maxJsonBytes }: BatchContext): Served | null {
  const { method, query, body, optionalBody } = call;
  const [collection = '', id = '', ...names] = call.parts;
  const path = { collection, id, parts: names };
  if (method === 'GET') return reads(async (on) => `{"result":${await on.readField(actor, path)}}`);
  if (method === 'DELETE') {
    const remove = async (on: Documents) => {
      const version = removedVersion(optionalBody(), query.get('version'));
      return documentJson(await on.removeField(actor, { ...path, version }));
    };
    return writes(actor, id, remove);
  }
  if (method !== 'PUT') return null;
  const set = async (on: Documents) =>
    documentJson(await on.setField(actor, { ...path, body: body(), maxBytes: maxJsonBytes }));
  return writes(actor, id, set);
}

function onGrants({ method, parts, body }: BatchCall, { actor }: BatchContext): Served | null {
  const [collection = '', id = ''] = parts;
  if (method !== 'PUT') return null;
  return writes(actor, id, async (documents) => {
    await documents.setGrants(actor, { collection, id, body: body() });
    return NO_PAYLOAD;
  });
}

function onGrant({ method, parts }: BatchCall, { actor }: BatchContext): Served | null {
  const [collection = '', id = '', action = '', kind, name = ''] = parts;
  if ((kind !== 'user' && kind !== 'role' && kind !== 'group') || (method !== 'PUT' && method !== 'DELETE'))
    return null;
  const change: GrantChange = { collection, id, action, grantee: { kind, name } };
  return writes(actor, id, async (documents) => {
    await (method === 'PUT' ? documents.grant(actor, change) : documents.revoke(actor, change));
    return NO_PAYLOAD;
  });
}

/**
 * Returns the use case of a batch operation, the same as that of the corresponding route.
 *
 * @throws `batch.operation_unknown`
 */
export function serve(call: BatchCall, context: BatchContext): Served {
  const { parts } = call;
  const isField = parts.length > 2 && parts[2]?.startsWith('.') === true;
  let served: Served | null = null;
  if (parts.length === 1) served = onCollection(call, context);
  else if (parts.length === 2) served = onDocument(call, context);
  else if (isField) served = onField(call, context);
  else if (parts.length === 3 && parts[2] === 'acl') served = onGrants(call, context);
  else if (parts.length === 5) served = onGrant(call, context);
  if (served === null) throw new AppError('batch.operation_unknown');
  return served;
}
