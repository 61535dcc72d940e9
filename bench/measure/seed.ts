import { CONNECTIONS, type Request, sendOnce } from './load.ts';

/** Data of the scenarios, created through the server's API. */
export interface Seeded {
  readonly collection: string;
  /** Collection of the create scenario, separate so that lists keep their length. */
  readonly target: string;
  readonly owner: Caller;
  readonly admin: Caller;
  /** Ids of the owner's documents. */
  readonly ids: readonly string[];
  /** About 1 KB of JSON. */
  readonly document: string;
}

interface Caller {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Access {
  readonly appCode: string;
  readonly adminPassword: string;
}

/** Half of them belong to the owner, half to another user. */
const DOCUMENTS = 20_000;

const DOCUMENT = JSON.stringify({
  title: 'A document of about one kilobyte',
  price: 12.5,
  tags: ['first', 'second', 'third'],
  place: { lat: 41.9028, lon: 12.4964, city: 'Rome' },
  text: 'Sphinx of black quartz, judge my vow. '.repeat(22),
});

interface SignedIn {
  readonly data: { readonly id: string; readonly 'X-BB-SESSION': string };
}

interface Created {
  readonly data: { readonly id: string };
}

async function sendJson<T>(url: string, path: string, headers: Request['headers'], body: string): Promise<T> {
  const answer = await sendOnce(url, {
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  return JSON.parse(answer) as T;
}

export async function seed(url: string, { appCode, adminPassword }: Access): Promise<Seeded> {
  const code = { 'x-service-appcode': appCode };

  async function enter(path: string, username: string, password: string): Promise<Caller> {
    const { data } = await sendJson<SignedIn>(url, path, code, JSON.stringify({ username, password }));
    return { id: data.id, headers: { 'x-bb-session': data['X-BB-SESSION'] } };
  }

  const [collection, target] = ['articles', 'created'];
  const admin = await enter('/login', 'admin', adminPassword);
  for (const name of [collection, target]) await sendJson(url, `/admin/collection/${name}`, admin.headers, '{}');
  const owner = await enter('/user', 'owner', 'a password');
  const other = await enter('/user', 'other', 'a password');

  const ids: string[] = [];
  async function addSome(caller: Caller, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const { data } = await sendJson<Created>(url, `/document/${collection}`, caller.headers, DOCUMENT);
      if (caller === owner) ids.push(data.id);
    }
  }
  const share = Math.ceil(DOCUMENTS / CONNECTIONS);
  const callers = Array.from({ length: CONNECTIONS }, (_, i) => (i % 2 === 0 ? owner : other));
  await Promise.all(callers.map((caller) => addSome(caller, share)));
  return { collection, target, owner, admin, ids, document: DOCUMENT };
}
