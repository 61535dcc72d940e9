import type { Answer, CallOptions, World } from './backend.ts';
import { adminOf, expectStatus } from './people.ts';

/** Creates calls with API keys. */
export function keyScenarios(world: World) {
  const withKey = (key: string, method: string, url: string, options: CallOptions = {}): Promise<Answer> =>
    world.call(method, url, {
      appCode: null,
      ...options,
      headers: { authorization: `Bearer ${key}`, ...options.headers },
    });

  return {
    withKey,

    /** Adds a key created by the built-in administrator. */
    async addKey(role: string, more: object = {}): Promise<{ readonly id: string; readonly key: string }> {
      const options = { basic: adminOf(world), body: { name: 'A shop', role, ...more } };
      return (await expectStatus(world.call('POST', '/admin/key', options), 201)).data;
    },
  };
}
