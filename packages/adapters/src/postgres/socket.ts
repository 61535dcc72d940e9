import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import * as tls from 'node:tls';
import type { PostgresHost, PostgresTls } from '../postgres-url/index.ts';

/** The request for an encrypted connection: its length and code. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S';
const PROTOCOL = 'postgresql';

/** Creates a connection error. Its code matches `OF_CONNECTION`. */
export const connectionError = (code: `CONNECT${string}`, message: string): Error =>
  Object.assign(new Error(message), { code });

export interface SocketOptions {
  /** `offered`: encrypted if the server offers it. */
  readonly encryption: 'none' | 'offered' | 'required';
  readonly tls: PostgresTls;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

/** Folders, and names in the abstract namespace of Linux. */
export const isSocketPath = ({ host }: PostgresHost): boolean => /^[/@]/.test(host);

const pathOf = ({ host, port }: PostgresHost) => `${host.replace(/^@/, '\0')}/.s.PGSQL.${port}`;

const read = (path: string | null) => (path === null ? null : readFile(path));

/** Returns the trusted authorities. Undefined for those that Node trusts, including `NODE_EXTRA_CA_CERTS`. */
async function authorities(rootCert: string | null): Promise<string[] | Buffer | undefined> {
  if (rootCert === null) return undefined;
  if (rootCert !== 'system') return readFile(rootCert);
  return [...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])];
}

/** Reads the files for each connection, so that a renewed certificate is used without a restart. */
async function tlsOptions({ host }: PostgresHost, given: PostgresTls): Promise<tls.ConnectionOptions> {
  const [ca, cert, key, crl] = await Promise.all([
    given.verifies === 'nothing' ? undefined : authorities(given.rootCert),
    read(given.cert),
    read(given.key),
    read(given.crl),
  ]);
  return {
    rejectUnauthorized: given.verifies !== 'nothing',
    checkServerIdentity: (_name, certificate) =>
      given.verifies === 'name' ? tls.checkServerIdentity(host, certificate) : undefined,
    ...(given.sendsName && isIP(host) === 0 && { servername: host }),
    ...(given.isDirect && { ALPNProtocols: [PROTOCOL] }),
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(crl && { crl }),
    ...(given.keyPassword !== null && { passphrase: given.keyPassword }),
    ...(given.minVersion !== null && { minVersion: given.minVersion }),
    ...(given.maxVersion !== null && { maxVersion: given.maxVersion }),
  };
}

/** Resolves with an event. @throws if the socket fails or closes first, or the signal is aborted */
async function event(socket: Socket, name: string, signal: AbortSignal): Promise<unknown> {
  const settled = new AbortController();
  const options = { signal: AbortSignal.any([signal, settled.signal]) };
  async function closed(): Promise<never> {
    await once(socket, 'close', options);
    throw connectionError('CONNECTION_CLOSED', 'the server closed the connection');
  }
  try {
    const [value]: unknown[] = await Promise.race([once(socket, name, options), closed()]);
    return value;
  } finally {
    settled.abort();
  }
}

async function isEncryptionOffered(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(TLS_REQUEST);
  const answer = await event(socket, 'data', signal);
  const text = Buffer.isBuffer(answer) ? answer.toString('latin1') : '';
  // More than one byte could include plain text injected on the network.
  if (text.length !== 1) throw connectionError('CONNECTION_NOT_POSTGRES', 'no Postgres server answers there');
  return text === YES;
}

async function encrypt(socket: Socket, host: PostgresHost, { tls: given, signal }: SocketOptions): Promise<Socket> {
  const secure = tls.connect({ socket, ...(await tlsOptions(host, given)) });
  secure.on('error', () => undefined);
  await event(secure, 'secureConnect', signal);
  return secure;
}

/** Connects to a server and encrypts the connection. @throws errors of the system, of TLS, and `connectionError`s */
export async function openSocket(host: PostgresHost, options: SocketOptions): Promise<Socket> {
  const { encryption, signal, tls: given } = options;
  const socket = isSocketPath(host)
    ? connectSocket(pathOf(host))
    : connectSocket({ host: host.host, port: host.port, noDelay: true });
  socket.on('error', () => undefined);
  try {
    await event(socket, 'connect', signal);
    if (encryption === 'none' || isSocketPath(host)) return socket;
    if (given.isDirect || (await isEncryptionOffered(socket, signal))) return await encrypt(socket, host, options);
    if (encryption === 'offered') return socket;
    throw connectionError('CONNECTION_UNENCRYPTED', 'the server does not encrypt connections');
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? signal.reason : error;
  }
}
