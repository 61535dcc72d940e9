import type { ErrorCode } from '@baobab/core';
import { Type } from 'typebox';

/** Failures that come together, for `config.fails`. */

type Codes = readonly ErrorCode[];

/** Of what is done with one document. */
export const ON_DOCUMENT: Codes = ['access.denied', 'collection.not_found', 'document.not_found'];
/** Of a body that may be any JSON. */
export const ON_JSON: Codes = ['input.empty', 'input.json_invalid'];
/** Of a document that may have changed in between. */
export const ON_VERSION: Codes = ['document.stale', 'document.version_invalid'];
/** Of grants that a body names. */
export const ON_GRANTS: Codes = [
  'grant.invalid',
  'grant.role_unknown',
  'grant.too_many',
  'grant.user_unknown',
  'input.array_expected',
];
/** Of profiles. */
export const ON_SECTIONS: Codes = ['user.email_invalid', 'user.section_invalid'];
/** Of a name that a user is to have. */
export const ON_NAME: Codes = ['user.exists', 'user.internal', 'user.name_invalid'];
/** Of stored bytes. */
export const ON_BYTES: Codes = ['blobs.missing', 'blobs.unavailable', 'precondition.failed', 'range.unsatisfiable'];
/** Of a form with a file. */
export const ON_UPLOAD: Codes = ['blobs.unavailable', 'file.too_large', 'upload.invalid'];
/** Of an image in another size. */
export const ON_IMAGE: Codes = [
  'image.busy',
  'image.format_invalid',
  'image.format_refused',
  'image.resize_off',
  'image.too_large',
  'image.unreadable',
];
/** Of a request that may be sent twice. */
export const ON_KEY: Codes = ['idempotency.busy', 'idempotency.key_invalid', 'idempotency.mismatch'];

/** As `parseIdempotencyKey` takes it: visible characters but `"`, `,` and `\\`, or a quoted String of RFC 9651. */
export const IDEMPOTENCY_KEY_PATTERN =
  '^([\\x21\\x23-\\x2b\\x2d-\\x5b\\x5d-\\x7e]{1,255}|"([\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\["\\\\]){1,255}")$';

export const KEY_HEADER = {
  'Idempotency-Key': Type.String({
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description: 'New for each new request: a request that is sent again with its key gets the first answer',
  }),
} as const;
