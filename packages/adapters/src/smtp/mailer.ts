import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type AdapterWithSettings, AppError, type Mailer, type MailMessage, type ValuesOf } from '@baobab/core';
import type { Transporter } from 'nodemailer';
import { createGuard, type GuardOptions, openSocket } from '../outbound/index.ts';
import { failureOf, statusOf } from './failures.ts';
import { SMTP_SETTINGS } from './settings.ts';

export interface SmtpOptions extends Omit<Partial<GuardOptions>, 'variable'> {
  /** True if passwords may be sent to other machines without encryption; default false. */
  readonly allowsPlaintextAuth?: boolean;
  /** Timeout of one message, in milliseconds. */
  readonly timeLimit?: number;
  /** Maximum messages sent concurrently; further ones are refused. */
  readonly concurrency?: number;
  /** Certificate authorities that replace the well-known ones, in PEM format. */
  readonly ca?: string;
  /** Receives the messages instead of the mail server, for tests. */
  readonly outbox?: Mailer;
}

const DEFAULT_TIME_LIMIT_MS = 9_000;
const DEFAULT_CONCURRENCY = 20;

interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte. `starttls`: required before any command. `none`: STARTTLS if the server offers it. */
  readonly security: 'none' | 'starttls' | 'tls';
  /** Null if the server requires none. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** @throws `mail.unavailable` if no server is configured */
function serverIn(values: ValuesOf<typeof SMTP_SETTINGS>): MailServer {
  const host = values['network.smtp.host'];
  if (host === '') throw new AppError('mail.unavailable', { detail: 'network.smtp.host is not set' });
  const user = values['network.smtp.user'];
  const password = values['network.smtp.password'];
  const raised = values['network.smtp.tls'] ? 'starttls' : 'none';
  return {
    host,
    port: values['network.smtp.port'],
    security: values['network.smtp.ssl'] ? 'tls' : raised,
    credentials: values['network.smtp.authentication'] ? { user, password } : null,
  };
}

/**
 * Runs `work` on one connection to the mail server, which ends at the timeout.
 *
 * @throws `mail.refused`, `mail.unavailable`
 */
async function connected<T>(server: MailServer, options: SmtpOptions, work: (mail: Transporter) => Promise<T>) {
  const { host, port, security, credentials } = server;
  const { timeLimit = DEFAULT_TIME_LIMIT_MS, ca, proxies = null, allowsPrivate = false } = options;
  const guard = createGuard({ ...options, allowsPrivate, variable: 'OUTBOUND_PRIVATE' });
  const { createTransport } = await import('nodemailer'); // lazy, for a fast start
  const signal = AbortSignal.timeout(timeLimit);
  let [connection, isForPassword]: [Socket | null, boolean] = [null, false];
  try {
    const { socket, isLocal } = await openSocket(host, port, { guard, proxies, signal });
    connection = socket;
    // RFC 4954, section 4: a password is not sent over a network in clear text.
    isForPassword = security === 'none' && credentials !== null && !isLocal && options.allowsPlaintextAuth !== true;
    const transport = createTransport({
      connection,
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls' || isForPassword,
      // If encryption is optional, an unverified certificate is better than none: local servers often have one.
      tls: { rejectUnauthorized: security !== 'none', ...(ca === undefined ? {} : { ca }) },
      ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
      connectionTimeout: timeLimit,
      greetingTimeout: timeLimit,
      socketTimeout: timeLimit,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // The library limits each step; this limits all steps together.
    const late = once(signal, 'abort').then(() => Promise.reject(signal.reason));
    return await Promise.race([work(transport), late]);
  } catch (error) {
    connection?.destroy();
    throw failureOf(error, isForPassword);
  }
}

/**
 * Connects and logs in to the configured mail server without sending anything. Resolves to false if none is configured.
 *
 * @throws `mail.refused` if it rejects the credentials, `mail.unavailable`
 */
export async function checkMailServer(
  values: ValuesOf<typeof SMTP_SETTINGS>,
  options: SmtpOptions = {},
): Promise<boolean> {
  if (values['network.smtp.host'] === '') return false;
  return connected(serverIn(values), options, (mail) => mail.verify());
}

/** Returns the Message-ID (RFC 5322, section 3.6.4), in the domain of the sender. */
function messageId(id: string, from: string): string {
  const [, domain = 'localhost'] = /@([a-z\d.-]+)>?\s*$/i.exec(from) ?? [];
  return `<${id}@${domain}>`;
}

/** RFC 3834, section 5: prevents automatic replies, such as absence notes. */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

/** Sends mail over SMTP (RFC 5321), with one connection per message. */
export function smtpMailer(options: SmtpOptions = {}): AdapterWithSettings<Mailer, typeof SMTP_SETTINGS> {
  const { concurrency = DEFAULT_CONCURRENCY, outbox } = options;
  let inProgress = 0;

  async function sendBy(server: MailServer, { id, from, to, ...content }: MailMessage): Promise<string> {
    if (inProgress >= concurrency) throw new AppError('mail.unavailable');
    inProgress++;
    try {
      // Addresses as objects, so that text with a comma or a line break remains one address.
      const addresses = { from, to: { name: '', address: to } };
      const message = { messageId: messageId(id, from), headers: AUTOMATIC, ...addresses, ...content };
      return await connected(server, options, async (mail) => statusOf((await mail.sendMail(message)).response ?? ''));
    } finally {
      inProgress--;
    }
  }

  return {
    settings: SMTP_SETTINGS,
    create: (settings) => ({
      async requireSetUp() {
        serverIn(await settings.current());
      },
      async send(message) {
        const server = serverIn(await settings.current());
        return await (outbox === undefined ? sendBy(server, message) : outbox.send(message));
      },
    }),
  };
}
