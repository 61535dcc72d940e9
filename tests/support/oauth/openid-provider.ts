import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { freePort } from '../ports.ts';

const REDIRECT = 'com.example.app:/callback';
const MAX_STEPS = 12;

/** A real OpenID provider in this process, and an app registered with it. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** Runs the authorization code flow with PKCE like an app and a browser. Resolves to the app's tokens. */
  logIn(person: string, options: LogIn): Promise<{ readonly id_token: string; readonly access_token: string }>;
  close(): Promise<void>;
}

interface LogIn {
  readonly clientId: string;
  readonly nonce?: string;
}

export interface ProviderOptions {
  readonly alg: 'RS256' | 'ES256';
  readonly clientIds: readonly string[];
}

/** A minimal browser with cookies only. */
function createBrowser() {
  const cookies = new Map<string, string>();
  return async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}

async function signingKey(alg: ProviderOptions['alg']) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: 'sig', kid: alg };
}

export async function startOpenIdProvider({ alg, clientIds }: ProviderOptions): Promise<OpenIdProvider> {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const provider = new Provider(issuer, {
    clients: clientIds.map((client_id) => ({
      client_id,
      redirect_uris: [REDIRECT],
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: alg,
    })),
    jwks: { keys: [await signingKey(alg)] },
    cookies: { keys: ['of the test'] },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true, name: `The ${sub}` }),
    }),
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: true } },
  });
  const server = createServer(provider.callback());
  await new Promise<void>((resolve) => server.listen(Number(new URL(issuer).port), '127.0.0.1', resolve));

  /** Follows redirects and fills in forms until the provider redirects to the app. */
  async function authorize(start: string, person: string): Promise<string> {
    const visit = createBrowser();
    let response = await visit(start);
    for (let step = 0; step < MAX_STEPS; step++) {
      const location = response.headers.get('location');
      if (location?.startsWith(REDIRECT)) return location;
      if (location !== null) {
        response = await visit(new URL(location, issuer).href);
        continue;
      }
      const page = await response.text();
      const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(page) ?? [];
      const isLogin = page.includes('name="login"');
      const form = isLogin ? { prompt: 'login', login: person, password: 'any' } : { prompt: 'consent' };
      response = await visit(new URL(action, issuer).href, form);
    }
    throw new Error('the provider does not redirect');
  }

  return {
    issuer,
    async logIn(person, { clientId, nonce }) {
      const verifier = randomBytes(32).toString('base64url');
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: REDIRECT,
        response_type: 'code',
        scope: 'openid email profile',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(nonce === undefined ? {} : { nonce }),
      });
      const back = new URL(await authorize(`${issuer}/auth?${query}`, person));
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: back.searchParams.get('code') ?? '',
          redirect_uri: REDIRECT,
          client_id: clientId,
          code_verifier: verifier,
        }),
      });
      if (!response.ok) throw new Error(await response.text());
      return response.json();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
