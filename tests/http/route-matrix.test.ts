import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import openapi from '../../docs/openapi.json' with { type: 'json' };
import { keyScenarios } from '../support/api-keys.ts';
import { type Answer, type CallOptions, createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';
import { CALLERS, type Caller, MATRIX, WIDTHS } from '../support/route-matrix.ts';
import { codeAt, protectedUser, STEP_MS } from '../support/second-factor.ts';

interface Operation {
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly example?: unknown; readonly examples?: object }>>;
  };
}

const UUID = '0190a6a0-0000-7000-8000-000000000001';

/** Bodies of routes that have no example, or whose example is not for everybody. */
const BODIES: Readonly<Record<string, CallOptions>> = {
  'POST /user/erase': { form: { username: 'nothing1' } },
  'POST /user/password/reset/{token}': { form: { password: 'x', 'repeat-password': 'x' } },
  'PUT /me/password': { body: { new: 'x' } },
  'PUT /user/password': { body: { new: 'x' } },
  'POST /file': { form: {} },
  'POST /admin/asset': { form: { name: 'matrix' } },
};

/** Body that the document describes, without the password, which would make every login fresh. */
function bodyOf(name: string, { requestBody }: Operation): CallOptions {
  const own = BODIES[name];
  if (own !== undefined) return own;
  if (requestBody?.required !== true) return {};
  const { example, examples = {} } = requestBody.content['application/json'] ?? {};
  const [first] = Object.values(examples) as Array<{ readonly value?: unknown }>;
  const { current_password: _password, ...body } = (example ?? first?.value ?? {}) as Record<string, unknown>;
  return { body };
}

/** Every operation, with names of nothing that exists. */
const OPERATIONS = Object.entries(openapi.paths).flatMap(([path, item]) =>
  Object.entries(item as unknown as Readonly<Record<string, Operation>>)
    .filter(([method]) => /^(get|put|patch|post|delete)$/.test(method))
    .map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const url = path
        .replace(/\{(?:id|groupId|delivery)\}/g, UUID)
        .replace('{os}', 'ios')
        .replace('{list}', 'users')
        .replace(/\{\w+\}/g, 'nothing1');
      return { name, method: method.toUpperCase(), url, options: bodyOf(name, operation) };
    }),
);

const REFUSALS: Readonly<Record<string, string>> = {
  'auth.required': 'login',
  'session.invalid': 'login',
  'admin.required': 'admin',
  'key.user_required': 'user',
  'auth.fresh_login_required': 'fresh',
  'access.denied': 'denied',
};

/** Credential that a caller lacks; `·` if the route admits the caller, regardless of its response. */
function outcomeOf({ status, body }: Answer): string {
  const code = String(body?.code ?? '');
  if (status >= 500 && status !== 503) return `${status}`;
  return REFUSALS[code] ?? (code === 'input.invalid' && !/key|device/i.test(String(body.message)) ? 'input' : '·');
}

describe('every route, for every kind of caller', () => {
  const clock = createHandDrivenClock();
  let backend: TestBackend;
  let world: World;
  let keys: ReturnType<typeof keyScenarios>;
  let apiKey = '';
  let suspended = '';

  beforeAll(async () => {
    backend = await createTestBackend({ clock });
    world = createWorld(backend);
    keys = keyScenarios(world);
    await setSettings(world, 'Application', { 'session_tokens.timeout': 0, 'guests.allowed': true });
    apiKey = (await keys.addKey('administrator')).key;
    const user = await world.user();
    suspended = user.token;
    await expectStatus(world.call('PUT', `/admin/user/suspend/${user.name}`, { basic: adminOf(world) }), 200);
  });
  afterAll(() => backend.close());

  async function withFactor(): Promise<string> {
    const { name, secret } = await protectedUser(world, clock.now);
    clock.advance(STEP_MS);
    const body = { username: name, password: 'secret', code: codeAt(secret, clock.now()) };
    return (await expectStatus(world.call('POST', '/login', { body }), 200)).data['X-BB-SESSION'];
  }

  /** A session that began eleven minutes ago. */
  async function stale(token: string): Promise<string> {
    clock.advance(11 * MINUTE);
    return token;
  }

  /** Credentials of each kind of caller. */
  const PROOFS: Readonly<Record<Caller, () => Promise<CallOptions>>> = {
    anonymous: async () => ({}),
    guest: async () => {
      const { data } = await expectStatus(world.call('POST', '/user/guest'), 201);
      return { token: await stale(data['X-BB-SESSION']) };
    },
    user: async () => ({ token: (await world.user()).token }),
    factor: async () => ({ token: await withFactor() }),
    stale: async () => ({ token: await stale(await withFactor()) }),
    suspended: async () => ({ token: suspended }),
    admin: async () => ({ token: (await personWithRole(world, 'administrator')).token }),
    'stale admin': async () => {
      const { name } = await personWithRole(world, 'administrator');
      return { token: await stale(await loginAs(world, name)) };
    },
    key: async () => ({ headers: { authorization: `Bearer ${apiKey}` } }),
  };

  const proofs = new Map<Caller, { readonly made: number; readonly proof: CallOptions }>();

  /** Callers are made anew when they are no longer fresh, and after calls that may have ended their session. */
  async function proofOf(caller: Caller): Promise<CallOptions> {
    const known = proofs.get(caller);
    const isFresh = known !== undefined && clock.now() - known.made < 5 * MINUTE;
    if (known !== undefined && (isFresh || /^(?:stale|guest)/.test(caller))) return known.proof;
    const proof = await PROOFS[caller]();
    proofs.set(caller, { made: clock.now(), proof });
    return proof;
  }

  it('is as the table says', async () => {
    const line = (cells: readonly string[]) =>
      cells
        .map((cell, i) => cell.padEnd(WIDTHS[i] ?? 0))
        .join('')
        .trimEnd();
    const found = [line(['', ...CALLERS])];
    for (const { name, method, url, options } of OPERATIONS) {
      const cells: string[] = [];
      for (const caller of CALLERS) {
        // A stream that is let in would not end: this cursor is refused.
        const target = url === '/changes/stream' ? `${url}?since=nothing` : url;
        const answer = await world.call(method, target, { ...options, ...(await proofOf(caller)) });
        cells.push(outcomeOf(answer));
        if (method !== 'GET' && answer.status < 300) proofs.delete(caller);
      }
      found.push(line([name, ...cells]));
    }
    expect(`\n${found.join('\n')}\n`).toBe(MATRIX);
  });
});
