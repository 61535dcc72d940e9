/**
 * Every failure a caller may see, by code. The HTTP status of each stands in one table of the http package,
 * which does not compile while a code is missing there.
 */
export const ERRORS = {
  'access.denied': 'You lack the permission for this',
  'admin.required': 'the user is not an Admin',
  'app_code.invalid': 'invalid application code',
  'app_code.missing': 'The application code is missing',
  'asset.exists': 'An asset of this name exists already',
  'asset.name_invalid': 'An asset is named with 1 to 128 letters, digits, ".", "_" or "-"',
  'asset.no_file': 'The asset has no file',
  'asset.not_found': 'No such asset',
  'auth.invalid': 'Invalid username or password',
  'auth.required': 'This call needs a signed-in user: send a session token or Basic credentials',
  'batch.answer_too_large': 'The answers of this batch have become too large; ask for less at a time',
  'batch.invalid':
    'A batch is {"atomic":true or false,"operations":[{"method","path","body"},…]} with at most 100 operations',
  'batch.operation_unknown': 'A batch takes calls on single documents, their fields and their rights',
  'blobs.misconfigured': 'The store of files refuses the service as it is set up',
  'blobs.missing': 'The bytes of this are missing in the store of files',
  'blobs.unavailable': 'The store of files is unavailable; try again shortly',
  'collection.exists': 'A collection of this name exists already',
  'collection.name_invalid':
    'A collection name is a letter followed by at most 63 letters, digits, "_" or "-", and not shaped like a UUID',
  'collection.not_found': 'No such collection',
  'criteria.invalid': 'The query cannot be understood',
  'document.busy': 'The document was changed by others at the same time; read it and try again',
  'document.not_found': 'No such document',
  'document.stale': 'The document has changed: @version is not the current one',
  'document.too_large': 'The document would become larger than a body may be',
  'document.version_invalid': '@version must be a whole number',
  'field.data_missing': 'The body must be {"data": …}: the new value of the field',
  'field.index_taken':
    'Another call has just appended an element at this index: append with [], or read the list and name its @version',
  'field.not_found': 'The document has no such field',
  'field.owned': 'The service owns this field; nobody else sets or reads it by its path',
  'field.path_invalid': 'The path of a field is made of parts like /.name or /.name[0]',
  'field.unreachable': 'The document has no place for this field',
  'file.missing': 'The form has no part named "file"',
  'file.not_found': 'No such file',
  'file.too_large': 'The file is too large',
  'follow.exists': 'This follow relation exists already',
  'follow.not_found': 'There is no such follow relation',
  'follow.self': 'Nobody can follow themselves',
  'grant.action_unknown': 'Unknown permission: use read, update, delete or all',
  'grant.invalid': 'A permission is an object with "name" and, for roles, "isrole"',
  'grant.role_unknown': 'A permission names a role that does not exist',
  'grant.too_many': 'The permissions of one request hold at most 1,000 names, those of a whole batch together too',
  'grant.user_unknown': 'A permission names a user that does not exist',
  'idempotency.busy': 'The first request with this Idempotency-Key is still under way; try again shortly',
  'idempotency.key_invalid': 'An Idempotency-Key is 1 to 255 visible ASCII characters, in double quotes or without',
  'idempotency.mismatch': 'This Idempotency-Key was used for another request; take a new key for a new request',
  'image.busy': 'No image can be resized at the moment; try again shortly',
  'image.format_invalid': 'This is no size for an image; sizes look like 25%, <=80px or 100-200',
  'image.format_refused': 'This size is not on the list of allowed ones; others need an administrator',
  'image.resize_off': 'Images are not resized: the settings say so',
  'image.too_large': 'The image is too large to be resized',
  'image.unreadable': 'This is no image that can be resized',
  'index.not_found': 'No such index',
  'index.path_invalid': 'There can be no index on this path',
  'index.too_many': 'The collection has as many indexes as it may have',
  'input.array_expected': 'An array is expected',
  'input.empty': 'The request has no body; JSON is expected',
  'input.invalid': 'Invalid input',
  'input.json_invalid': 'The body is not the JSON that is expected',
  'input.too_large': 'The body is too large',
  'mail.refused': 'The mail could not be sent: the mail server refused it',
  'mail.unavailable': 'The mail could not be sent: the mail server is not set up, does not answer, or is busy',
  'passwords.busy': 'Too many sign-ins at the moment; try again shortly',
  'precondition.failed': 'It is not in the state that the request wants it in',
  'push.message_not_found': 'No such message',
  'push.refused': 'The push service refuses what we send; an administrator has to look at the settings',
  'push.too_large': 'The notification is larger than push services take',
  'push.unconfigured': 'Push notifications are not set up',
  'range.unsatisfiable': 'There is nothing in this range',
  'rate.limited': 'Too many attempts; try again later',
  'reset.address_missing': 'There is no e-mail address to which a link could be sent',
  'role.built_in': 'The built-in roles cannot be changed or removed',
  'role.exists': 'A role of this name exists already',
  'role.name_invalid': 'A role name is a letter followed by at most 63 letters, digits, "_", "-" or "."',
  'role.not_found': 'No such role',
  'service.overdue': 'The service could not answer in time, and it may yet do what was asked for; try again shortly',
  'service.stopping': 'The service is starting or stopping; try again shortly',
  'session.not_found': 'No such session',
  'setting.key_not_found': 'No such setting',
  'setting.section_not_found': 'No such section of settings',
  'setting.value_invalid': 'This is no value for the setting',
  'session.invalid': 'The session token is unknown or has expired',
  'social.busy': 'This person is being linked by somebody else at the moment; try again',
  'social.disabled': 'This social network is switched off',
  'social.last_link': 'This link is the only way into the account: set a password or link another network first',
  'social.network_unknown': 'There is no such social network here',
  'social.none': 'The user is linked to no social network',
  'social.not_linked': 'The user is not linked to this social network',
  'social.refused': 'The social network does not vouch for this token, or it was not issued to this app',
  'social.suspended': 'This account is suspended',
  'social.taken': 'This person is linked to another user',
  'social.token_missing': 'oauth_token and oauth_secret are both needed',
  'social.unavailable': 'The social network is not set up, does not answer, or is busy; try again shortly',
  'storage.from_future': 'The database was written by a newer version of this program',
  'storage.migration_blocked':
    'Others kept the schema of the database from being changed for too long; start again when they have ended',
  'storage.unfinished': 'A transfer into the database has not been finished: go on with it, or empty the database',
  'search.too_long': 'The search took too long: narrow it, or have an index declared on what it filters or sorts by',
  'storage.unavailable': 'The storage is unavailable; try again shortly',
  'upload.invalid': 'The body is not the whole multipart form that is expected',
  'user.email_invalid': 'The e-mail address in visibleByTheUser is not valid',
  'user.exists': 'A user of this name, or of one that looks like it, exists already',
  'user.internal': 'This name is reserved, or looks like a reserved one',
  'user.name_invalid':
    'A user name has 1 to 128 printable characters, a visible one among them, and no space at either end',
  'user.not_found': 'No such user',
  'user.name_fixed': 'Only a generated name is changed with the profile; use PUT /me/username',
  'user.old_password_invalid': 'The old password is not right',
  'user.password_invalid': 'A password has at most 1024 characters',
  'user.section_invalid': 'A visibility section must be an object',
} as const;

export type ErrorCode = keyof typeof ERRORS;

export interface AppErrorOptions {
  /** Seconds after which to try again, where that is known. */
  readonly retryAfter?: number;
  /** What was wrong in this case and what is expected; shown to the caller, so never a secret. */
  readonly detail?: string;
  /**
   * Which input was wrong: a JSON Pointer (RFC 6901) into what was given (`/title`; a missing member by its own path), or
   * the name of a parameter (`where`).
   */
  readonly input?: string;
  /** The underlying failure; logged, never shown. */
  readonly cause?: unknown;
  /** Which operation of a batch it was, from 0. */
  readonly operation?: number;
  /** Whether it is the failure of an earlier request, told again. */
  readonly isReplay?: boolean;
}

/** An expected failure. Recognise it by `code`, never by class: two copies of this module may be loaded. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** Seconds after which to try again, where that is known. */
  readonly retryAfter: number | null;
  /** What was wrong in this case. */
  readonly detail: string | null;
  /** Which input was wrong, as in `AppErrorOptions`; null where it is not one input. */
  readonly input: string | null;
  /** Which operation of a batch failed, so that none was done; null outside of batches. */
  readonly operation: number | null;
  /** Whether it is the failure of an earlier request, told again. */
  readonly isReplay: boolean;

  constructor(code: ErrorCode, { detail, input, cause, retryAfter, operation, isReplay }: AppErrorOptions = {}) {
    const message = detail === undefined ? ERRORS[code] : `${ERRORS[code]}: ${detail}`;
    super(
      operation === undefined ? message : `operations[${operation}]: ${message}`,
      cause === undefined ? undefined : { cause },
    );
    this.code = code;
    this.retryAfter = retryAfter ?? null;
    this.detail = detail ?? null;
    this.input = input ?? null;
    this.operation = operation ?? null;
    this.isReplay = isReplay ?? false;
  }
}

/** Whether `error` carries a code of the catalogue. */
export function isAppError(error: unknown): error is AppError {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && Object.hasOwn(ERRORS, error.code)
  );
}
