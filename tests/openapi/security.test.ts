import { createTestBackend, type TestBackend } from '@baobab/server/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenApi } from '../../packages/http/src/reference/document.ts';
import { keyScenarios } from '../support/api-keys.ts';
import { type CallOptions, createWorld, type World } from '../support/backend.ts';
import { currentDocument } from '../support/openapi/conformance.ts';

/** Operations whose response does not end: a cursor that is none makes them answer after they have checked credentials. */
const ENDLESS = ['streamChanges'];

/**
 * Operations that answer 401 for other reasons: a social network rejected the token, or the file is not granted to
 * anonymous callers.
 */
const OTHER_REASONS = ['loginBySocialNetwork', 'listFiles', 'readFileDetails', 'readFileAttachedData', 'readFile'];

type Requirement = Readonly<Record<string, readonly string[]>>;

let backend: TestBackend;
let world: World;
let apiKey: string;
let document: OpenApi;

beforeAll(async () => {
  backend = await createTestBackend({ adminPassword: 'change-me' });
  world = createWorld(backend);
  ({ key: apiKey } = await keyScenarios(world).addKey('administrator'));
  ({ document } = await currentDocument());
});
afterAll(() => backend.close());

/** An administrator whom the call may suspend or log out. */
async function caller(): Promise<{ readonly name: string; readonly token: string }> {
  const name = world.unique('caller');
  const body = { username: name, password: 'secret', role: 'administrator' };
  await world.call('POST', '/admin/user', { basic: ['admin', 'change-me'], body });
  const { data } = await world.call('POST', '/login', { body });
  return { name, token: data['X-BB-SESSION'] };
}

/** Exactly the credentials that a requirement names. */
async function credentials(
  requirement: Requirement,
): Promise<{ readonly options: CallOptions; readonly query: URLSearchParams }> {
  const { name, token } = await caller();
  const query = new URLSearchParams();
  if ('appCodeInQuery' in requirement) query.set('X-SERVICE-APPCODE', backend.appCode);
  if ('sessionInQuery' in requirement) query.set('X-BB-SESSION', token);
  const isKey = 'apiKey' in requirement;
  const options: CallOptions = {
    ...(isKey && { headers: { authorization: `Bearer ${apiKey}` } }),
    appCode: 'appCode' in requirement ? backend.appCode : null,
    ...('session' in requirement && { token }),
    ...('basic' in requirement && { basic: [name, 'secret'] as const }),
  };
  return { options, query };
}

interface Declared {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly requirement: Requirement;
}

/** Returns the reason why the service rejects the credentials; null when it accepts them. */
async function refusal({ method, path, operationId, requirement }: Declared): Promise<string | null> {
  const { options, query } = await credentials(requirement);
  if (ENDLESS.includes(operationId)) query.set('since', 'none');
  const { status, body } = await world.call(method, `${path.replaceAll(/\{\w+\}/g, 'x')}?${query}`, options);
  const isRefused = status === 401 && !OTHER_REASONS.includes(operationId);
  const lacks = body?.bb_code === '40101' || /application code/i.test(body?.message ?? '');
  const shown = Object.keys(requirement).join(' and ');
  return isRefused || lacks ? `${operationId} with ${shown || 'nothing'}: ${status}` : null;
}

it('every combination of credentials that an operation declares is sufficient for it', async () => {
  const declared = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, security }]) =>
      (security as readonly Requirement[]).map(
        (requirement): Declared => ({ method: method.toUpperCase(), path, operationId, requirement }),
      ),
    ),
  );
  expect(declared.length).toBeGreaterThan(200);
  const refused: string[] = [];
  for (const one of declared) {
    const problem = await refusal(one);
    if (problem !== null) refused.push(problem);
  }
  expect(refused).toEqual([]);
});
