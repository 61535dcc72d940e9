import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';

/** A key of an issuer, and the part of it that everybody knows. */
export interface IssuerKey {
  readonly alg: 'RS256' | 'ES256';
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  readonly publicPem: string;
}

/** Also such as no issuer makes. */
export type Claims = Readonly<Record<string, unknown>>;

let count = 0;

export async function createIssuerKey(alg: IssuerKey['alg'], kid = `key-${++count}`): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { alg, kid, privateKey, publicJwk, publicPem: await exportSPKI(publicKey) };
}

export interface TokenForm {
  readonly key: IssuerKey;
  /** More for the header, or something else there. */
  readonly header?: Claims;
}

export function signIdToken(payload: Claims, { key, header = {} }: TokenForm): Promise<string> {
  const protectedHeader = { alg: key.alg, kid: key.kid, typ: 'JWT', ...header };
  return new SignJWT(payload).setProtectedHeader(protectedHeader).sign(key.privateKey);
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that nobody has signed. */
export function unsignedToken(payload: Claims, alg: string): string {
  return `${encoded({ alg, typ: 'JWT' })}.${encoded(payload)}.`;
}

/** A token whose MAC is made with what everybody knows. */
export async function tokenSignedWithText(payload: Claims, text: string, kid: string): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'HS256', kid, typ: 'JWT' })
    .sign(new TextEncoder().encode(text));
}

/** The same signature under other claims. */
export function withClaims(token: string, claims: Claims): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const before = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return `${header}.${encoded({ ...before, ...claims })}.${signature}`;
}
