import { AppError } from '@baobab/core';
import { RefusedAddress } from '../outbound/index.ts';

interface SmtpFailure {
  readonly message: string;
  readonly code?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

const STATUS = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/;

/**
 * Returns the status of a reply, with its enhanced status if there is one (RFC 3463): `550 5.1.1`; empty without a
 * status.
 */
export const statusOf = (reply: string): string => STATUS.exec(reply)?.slice(1).filter(Boolean).join(' ') ?? '';

/** Replacements for texts of the library that repeat the server's message. */
const OF_PROTOCOL: Readonly<Record<string, string>> = {
  ECONNECTION: 'the server closed the connection or does not offer what is needed',
  ABORT_ERR: 'the server did not answer in time',
  EPROTOCOL: 'the server does not speak SMTP',
  EENVELOPE: 'the message has no valid sender or recipient',
};

/**
 * Describes a failure for administrators, who must not be able to read the output of an arbitrary server. A reply is
 * reduced to its status.
 */
function describe({ message, code = '', command, response, responseCode }: SmtpFailure): string {
  const status = statusOf(response ?? String(responseCode ?? ''));
  if (status !== '') {
    const step = command !== undefined && /^[A-Z ]{1,20}$/.test(command) ? ` to ${command}` : '';
    return `the mail server answered ${status}${step}`;
  }
  // The names in a certificate come from the server.
  return OF_PROTOCOL[response === undefined ? code : 'EPROTOCOL'] ?? message.replace(/(altnames).*$/s, '$1');
}

/** True for a 5xx reply of the mail server, or a message that cannot be sent at all: a retry would not help. */
function isRefusal({ responseCode, code }: SmtpFailure): boolean {
  if (code === 'ETLS') return false;
  if (responseCode !== undefined) return responseCode >= 500;
  return code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE';
}

/** Returns the first of several attempts, which the system reports as one error. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error);

const NO_ENCRYPTION = 'the mail server offers no encryption (STARTTLS)';
const FOR_PASSWORD =
  ', and the password is not sent to another machine in clear text; SMTP_PLAINTEXT_AUTH=on allows it';

/**
 * Returns the failure for callers. Its cause is for administrators; its message is public.
 *
 * @param isForPassword true if encryption was required only because a password would be sent
 */
export function failureOf(given: unknown, isForPassword: boolean): AppError {
  const error = firstOf(given);
  if (error instanceof RefusedAddress) return new AppError('mail.unavailable', { cause: error });
  const failure: SmtpFailure = error instanceof Error ? error : { message: String(error) };
  const { code } = failure;
  const isUnencrypted = code === 'ETLS' && failure.responseCode !== undefined;
  const text = isUnencrypted ? NO_ENCRYPTION + (isForPassword ? FOR_PASSWORD : '') : describe(failure);
  const cause = new Error(text);
  const coded = code === undefined ? cause : Object.assign(cause, { code });
  return new AppError(isRefusal(failure) ? 'mail.refused' : 'mail.unavailable', { cause: coded });
}
