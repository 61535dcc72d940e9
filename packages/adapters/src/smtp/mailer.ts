import { type AdapterWithSettings, AppError, type Mailer, type MailMessage, type ValuesOf } from '@baobab/core';
import { SMTP_SETTINGS } from './settings.ts';

export interface SmtpOptions {
  /** The time limit for one message. Milliseconds. */
  readonly timeLimit?: number;
  /** How many messages may be sent at once; further ones are refused. */
  readonly concurrency?: number;
  /** Certificate authorities to trust instead of the well-known ones, PEM. */
  readonly ca?: string;
  /** Receives the messages instead of the mail server, for tests. */
  readonly outbox?: Mailer;
}

const DEFAULT_TIME_LIMIT_MS = 9_000;
const DEFAULT_CONCURRENCY = 20;

interface MailServer {
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte; `starttls` required before any command; `none`: STARTTLS if the server offers it. */
  readonly security: 'none' | 'starttls' | 'tls';
  /** Null: the server requires none. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
}

/** @throws `mail.unavailable` when no server is configured */
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

/** How a connection to the server is made. */
type Connecting = Pick<SmtpOptions, 'ca'> & { readonly timeLimit: number };

async function open({ host, port, security, credentials }: MailServer, { timeLimit, ca }: Connecting) {
  const { createTransport } = await import('nodemailer'); // loaded here so that it does not slow down the start
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    // Where encryption is optional, an unverified certificate is better than none: local servers often have one.
    tls: { rejectUnauthorized: security !== 'none', ...(ca === undefined ? {} : { ca }) },
    ...(credentials === null ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: timeLimit,
    greetingTimeout: timeLimit,
    socketTimeout: timeLimit,
    dnsTimeout: timeLimit,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/**
 * Connects and logs in to the configured mail server, and sends nothing. Resolves to whether one is configured.
 *
 * @throws `mail.refused` when it rejects the credentials, `mail.unavailable`
 */
export async function checkMailServer(
  values: ValuesOf<typeof SMTP_SETTINGS>,
  options: SmtpOptions = {},
): Promise<boolean> {
  if (values['network.smtp.host'] === '') return false;
  const { timeLimit = DEFAULT_TIME_LIMIT_MS, ca } = options;
  const transport = await open(serverIn(values), { timeLimit, ...(ca === undefined ? {} : { ca }) });
  try {
    await transport.verify();
    return true;
  } catch (error) {
    throw new AppError(isRefusal(error) ? 'mail.refused' : 'mail.unavailable', { cause: error });
  } finally {
    transport.close();
  }
}

/** A 5xx reply of the mail server, or a message that cannot be sent at all: a retry would not help. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { responseCode, code } = error as Error & { responseCode?: number; code?: string };
  if (responseCode !== undefined) return responseCode >= 500;
  return code === 'EAUTH' || code === 'EENVELOPE' || code === 'EMESSAGE';
}

/** The Message-ID (RFC 5322, section 3.6.4), in the domain of the sender. */
function messageId(id: string, from: string): string {
  const [, domain = 'localhost'] = /@([a-z\d.-]+)>?\s*$/i.exec(from) ?? [];
  return `<${id}@${domain}>`;
}

/** Mail over SMTP (RFC 5321), with one connection per message. */
export function smtpMailer(options: SmtpOptions = {}): AdapterWithSettings<Mailer, typeof SMTP_SETTINGS> {
  const { timeLimit = DEFAULT_TIME_LIMIT_MS, concurrency = DEFAULT_CONCURRENCY, ca, outbox } = options;
  let inProgress = 0;

  /** The library limits each step; this limits all steps together. */
  async function withinLimit(server: MailServer, { id, from, to, subject, text, html }: MailMessage): Promise<string> {
    const transport = await open(server, { timeLimit, ...(ca === undefined ? {} : { ca }) });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the mail server took longer than ${timeLimit} ms`)), timeLimit);
    });
    try {
      // Addresses as objects: a text with a comma or a line break stays one address.
      const message = { messageId: messageId(id, from), from, to: { name: '', address: to }, subject, text, html };
      return (await Promise.race([transport.sendMail(message), late])).response;
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  }

  async function sendBy(server: MailServer, message: MailMessage): Promise<string> {
    if (inProgress >= concurrency) throw new AppError('mail.unavailable');
    inProgress++;
    try {
      return await withinLimit(server, message);
    } catch (error) {
      throw new AppError(isRefusal(error) ? 'mail.refused' : 'mail.unavailable', { cause: error });
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
