import type { Answer } from './backend.ts';
import { createClient } from './client.ts';
import { CLUSTER_SETTINGS, type Cluster } from './clusters.ts';

const { ADMIN_PASSWORD, APP_CODE } = CLUSTER_SETTINGS;

/** @throws Error for a status that is not a success */
export async function expectOk(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return answer;
}

/** Starts two nodes or workers, with calls of the first one and a session of the administrator. */
export async function startCluster(create: () => Promise<Cluster>) {
  const { start, nodes, close } = await create();
  const addresses = [await start(), await start()];
  const here = createClient(addresses[0] ?? '', APP_CODE);
  const { data } = await expectOk(here('POST', '/login', { body: { username: 'admin', password: ADMIN_PASSWORD } }));
  const admin: string = data['X-BB-SESSION'];
  let count = 0;

  return {
    nodes,
    addresses,
    here,
    admin,
    close,
    /** Signs a user up. */
    async person(): Promise<{ name: string; token: string }> {
      const name = `person${++count}`;
      const answer = await expectOk(here('POST', '/user', { body: { username: name, password: 'secret' } }));
      return { name, token: answer.data['X-BB-SESSION'] };
    },
    /** Creates a collection. Resolves to its name. */
    async collection(): Promise<string> {
      const name = `books${++count}`;
      await expectOk(here('POST', `/admin/collection/${name}`, { token: admin, body: {} }));
      return name;
    },
  };
}

export type ClusterWorld = Awaited<ReturnType<typeof startCluster>>;
