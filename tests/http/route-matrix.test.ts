import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import openapi from '../../docs/openapi.json' with { type: 'json' };
import { type Answer, type CallOptions, createWorld, type World } from '../support/backend.ts';
import { createHandDrivenClock, MINUTE } from '../support/clock.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { adminOf, expectStatus, loginAs, personWithRole, setSettings } from '../support/people.ts';
import { CALLERS, type Caller, MATRIX, WIDTHS } from '../support/route-matrix.ts';
import { codeAt, protectedUser, STEP_MS } from '../support/second-factor.ts';
import { keyScenarios } from '../support/server-keys.ts';

interface Operation {
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly example?: unknown; readonly examples?: object }>>;
  };
}

const UUID = '0190a6a0-0000-7000-8000-000000000001';

/** Bodies of routes that have no example, or whose example is not for everybody. */
const BODIES: Readonly<Record<string, CallOptions>> = {
  'POST /user/password/reset/{token}': { form: { password: 'x', 'repeat-password': 'x' } },
  'PUT /me/password': { body: { new: 'x' } },
  'PUT /user/password': { body: { new: 'x' } },
  'POST /file': { form: {} },
  'POST /admin/asset': { form: { name: 'matrix' } },
};

/** What the document says that the body looks like; without the password, which would make every login fresh. */
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

/** What a caller lacks; `·` when the route lets the caller in, whatever it answers then. */
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
  let serverKey = '';
  let suspended = '';

  beforeAll(async () => {
    backend = await createTestBackend({ clock });
    world = createWorld(backend);
    keys = keyScenarios(world);
    await setSettings(world, 'Application', { 'session_tokens.timeout': 0, 'guests.allowed': true });
    serverKey = (await keys.addKey('administrator')).key;
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

  /** How each kind of caller proves who it is. */
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
    key: async () => ({ headers: { authorization: `Bearer ${serverKey}` } }),
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

  it('is as the table says', { timeout: 3 * PATIENCE_MS }, async () => {
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
