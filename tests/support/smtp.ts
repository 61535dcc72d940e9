import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createFolder } from './databases.ts';

export interface Certificate {
  readonly key: string;
  /** PEM; being self-signed, it is its own authority. */
  readonly cert: string;
}

/** Creates a certificate that only the test trusts. */
export function createCertificate(name = 'localhost'): Certificate {
  const folder = createFolder();
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  try {
    const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name},IP:127.0.0.1`];
    const files = ['-keyout', key, '-out', cert, '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...algorithm, ...subject, ...files], { stdio: 'pipe' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    folder.remove();
  }
}

export interface ReceivedMail {
  /** Sender of the envelope. */
  readonly sender: string;
  readonly recipients: readonly string[];
  /** True if the connection was encrypted when the message arrived. */
  readonly secure: boolean;
  /** The authenticated user; null without authentication. */
  readonly user: string | null;
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly text: string;
  readonly html: string;
  readonly raw: string;
}

export interface MailServerOptions {
  /** `none` does not offer encryption. */
  readonly security: 'none' | 'starttls' | 'tls';
  readonly certificate?: Certificate;
  /** Credentials required by the server; default: none. */
  readonly credentials?: { readonly user: string; readonly password: string };
  /** Reply to recipients; default: accepted. */
  readonly refusal?: { readonly code: number; readonly text: string };
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
}

/** A real mail server in this process. */
export interface TestMailServer {
  readonly port: number;
  /** Oldest first. */
  readonly received: readonly ReceivedMail[];
  /** Credentials that clients tried; `secure` is true for encrypted connections. */
  readonly attempts: ReadonlyArray<{ readonly user: string; readonly secure: boolean }>;
  close(): Promise<void>;
}

async function parse(raw: Buffer): Promise<Pick<ReceivedMail, 'headers' | 'subject' | 'from' | 'text' | 'html'>> {
  const mail = await PostalMime.parse(raw);
  return {
    headers: new Map(mail.headers.map(({ key, value }) => [key, value])),
    subject: mail.subject ?? '',
    from: { name: mail.from?.name ?? '', address: mail.from?.address ?? '' },
    text: mail.text ?? '',
    html: mail.html ?? '',
  };
}

function bytesOf(stream: NodeJS.ReadableStream): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => resolve(Buffer.concat(chunks)));
  });
}

export async function startMailServer(options: MailServerOptions): Promise<TestMailServer> {
  const { security, certificate, credentials, refusal, host = '127.0.0.1' } = options;
  const received: ReceivedMail[] = [];
  const attempts: Array<{ user: string; secure: boolean }> = [];
  const config: SMTPServerOptions = {
    secure: security === 'tls',
    ...(certificate ?? {}),
    disabledCommands: security === 'starttls' ? [] : ['STARTTLS'],
    authOptional: credentials === undefined,
    disableReverseLookup: true,
    onAuth({ username = '', password = '' }, { secure }, done) {
      attempts.push({ user: username, secure });
      if (username === credentials?.user && password === credentials.password) done(null, { user: username });
      else done(new Error('wrong'));
    },
    onRcptTo(_address, _session, done) {
      done(refusal === undefined ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(stream, { envelope, secure, user }, done) {
      bytesOf(stream)
        .then(async (raw) => {
          received.push({
            sender: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            recipients: envelope.rcptTo.map(({ address }) => address),
            secure,
            user: typeof user === 'string' ? user : null,
            raw: raw.toString('utf8'),
            ...(await parse(raw)),
          });
          done();
        })
        .catch(done);
    },
  };
  const server = new SMTPServer(config);
  // A client that rejects the certificate is an outcome, not a failure.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server does not listen');
  return {
    port: address.port,
    received,
    attempts,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Starts a server that accepts connections and never responds. */
export async function startSilentServer(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the silent server does not listen');
  return {
    port: address.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
