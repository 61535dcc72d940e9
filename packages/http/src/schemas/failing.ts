import type { ErrorCode } from '@baobab/core';
import { Type } from 'typebox';

/** Sets of failures for `config.fails`. */

type Codes = readonly ErrorCode[];

/** Failures of an operation on one document. */
export const ON_DOCUMENT: Codes = ['access.denied', 'collection.not_found', 'document.not_found'];
/** Failures of a body with arbitrary JSON. */
export const ON_JSON: Codes = ['input.empty', 'input.json_invalid', 'json.number_inexact'];
/** Failures of a conditional change of a document. */
export const ON_VERSION: Codes = ['document.stale', 'document.version_invalid'];
/** Failures of writes under rules. */
export const ON_RULES: Codes = ['document.parent_invalid', 'rule.refused'];
/** Failures of a change of a field. */
export const ON_FIELD: Codes = [
  ...ON_DOCUMENT,
  ...ON_VERSION,
  ...ON_RULES,
  'document.busy',
  'document.duplicate',
  'document.invalid',
  'field.owned',
  'field.path_invalid',
];
/** Failures of setting a field. */
export const ON_FIELD_SET: Codes = [
  ...ON_FIELD,
  'document.too_large',
  'field.data_missing',
  'field.unreachable',
  ...ON_JSON,
];
/** Failures of document patches. */
export const ON_PATCH: Codes = [
  ...ON_FIELD,
  'document.too_large',
  'field.type_invalid',
  'field.unreachable',
  'patch.invalid',
  ...ON_JSON,
];
/** Failures of grants in a body. */
export const ON_GRANTS: Codes = [
  'grant.group_unknown',
  'grant.invalid',
  'grant.role_unknown',
  'grant.too_many',
  'grant.user_unknown',
  'input.array_expected',
];
/** Failures of profile sections. */
export const ON_SECTIONS: Codes = ['user.email_invalid', 'user.section_invalid'];
/** Failures of a new user name. */
export const ON_NAME: Codes = ['user.exists', 'user.internal', 'user.name_invalid'];
/** Failures of a new password. */
export const ON_PASSWORD: Codes = ['password.too_weak', 'user.password_invalid'];
/** Failures of calls that need a fresh login. */
export const ON_FRESH: Codes = ['auth.fresh_login_required', 'user.old_password_invalid'];
/** Failures of changes of an administrator, and of protected settings. */
export const ON_ADMINISTRATOR: Codes = [...ON_FRESH, 'key.user_required'];
/** Failures of reading stored bytes. */
export const ON_BYTES: Codes = ['blobs.missing', 'blobs.unavailable', 'precondition.failed', 'range.unsatisfiable'];
/** Failures of uploads. */
export const ON_UPLOAD: Codes = ['blobs.unavailable', 'file.too_large', 'upload.invalid'];
/** Failures of resized images. */
export const ON_IMAGE: Codes = [
  'image.busy',
  'image.format_invalid',
  'image.format_refused',
  'image.format_unsupported',
  'image.resize_off',
  'image.too_large',
  'image.unreadable',
];
/** Failures of a social network's proof. */
export const ON_PROOF: Codes = [
  'social.disabled',
  'social.network_unknown',
  'social.refused',
  'social.token_missing',
  'social.unavailable',
];
/** Failures of lists. */
export const ON_PAGE: Codes = ['criteria.invalid', 'json.number_inexact', 'page.too_large', 'search.too_long'];
/** Failures of lists of documents with `search`. */
export const ON_SEARCH: Codes = ['search.invalid', 'search.not_enabled'];
/** Failures of `expand` on one document. */
export const ON_EXPAND: Codes = ['criteria.invalid', 'expand.limit', 'json.number_inexact'];
/** Failures of an idempotency key that is invalid or was used for another request. */
export const ON_KEY_MISUSED: Codes = ['idempotency.key_invalid', 'idempotency.mismatch'];
/** Failures of requests with an idempotency key. */
export const ON_KEY: Codes = ['idempotency.busy', ...ON_KEY_MISUSED, 'idempotency.not_kept'];

/**
 * Keys that `parseIdempotencyKey` accepts: visible characters except `"`, `,` and `\\`, or a quoted String of RFC 9651.
 */
export const IDEMPOTENCY_KEY_PATTERN =
  '^([\\x21\\x23-\\x2b\\x2d-\\x5b\\x5d-\\x7e]{1,255}|"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}")$';

export const KEY_HEADER = {
  'Idempotency-Key': Type.String({
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description: 'A unique key for each new request. A retry with the same key gets the first response',
  }),
} as const;
