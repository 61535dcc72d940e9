import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';

/** A key of an issuer, with its public part. */
export interface IssuerKey {
  readonly alg: 'RS256' | 'ES256';
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly publicPem: string;
}

/** Any claims, including invalid ones. */
export type Claims = Readonly<Record<string, unknown>>;

let count = 0;

export async function createIssuerKey(alg: IssuerKey['alg'], kid = `key-${++count}`): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { alg, kid, privateKey, publicJwk, publicPem: await exportSPKI(publicKey) };
}

export interface TokenForm {
  readonly key: IssuerKey;
  /** Additional or different header parameters. */
  readonly header?: Claims;
}

export function signIdToken(payload: Claims, { key, header = {} }: TokenForm): Promise<string> {
  const protectedHeader = { alg: key.alg, kid: key.kid, typ: 'JWT', ...header };
  return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(key.privateKey);
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns a token without a signature. */
export function unsignedToken(payload: Claims, alg: string): string {
  return `${encoded({ alg, typ: 'JWT' })}.${encoded(payload)}.`;
}

/** Returns a token with a MAC whose key is a public text. */
export async function tokenSignedWithText(payload: Claims, text: string, kid: string): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' })
    .sign(new TextEncoder().encode(text));
}

/** Returns the token with other claims and its old signature. */
export function withClaims(token: string, claims: Claims): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const before = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return `${header}.${encoded({ ...before, ...claims })}.${signature}`;
}
