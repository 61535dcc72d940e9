import * as heavy from './heavy-values.ts';

interface Sent {
  readonly status: number;
  /** Size of the request's body. */
  readonly bytes: number;
}

/** A request whose work may be out of proportion to its size. */
export interface Expensive {
  readonly kind: string;
  readonly name: string;
  /** Restores the state before the request. Resolves to a function that sends it. */
  prepare(): Promise<() => Promise<Sent>>;
}

interface Access {
  readonly APP_CODE: string;
  readonly ADMIN_PASSWORD: string;
}

const JSON_TYPE = 'application/json';
const MERGE = 'application/merge-patch+json';

const paths = (count: number, path: (n: number) => string, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [path(n), value]));

export async function createExpensive(url: string, { APP_CODE, ADMIN_PASSWORD }: Access): Promise<Expensive[]> {
  const asAdmin = { authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}` };
  let asUser: Record<string, string> = {};

  async function send(method: string, path: string, body?: unknown, headers = asUser, type = JSON_TYPE) {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      headers: { 'x-service-appcode': APP_CODE, ...headers, ...(text === undefined ? {} : { 'content-type': type }) },
      ...(text === undefined ? {} : { body: text }),
    });
    return { status: response.status, text: await response.text(), bytes: text?.length ?? 0 };
  }
  async function done(...call: Parameters<typeof send>) {
    const answer = await send(...call);
    if (answer.status >= 300)
      throw new Error(`${call[0]} ${call[1]} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
    return JSON.parse(answer.text || '{}');
  }

  const user = await done('POST', '/user', { username: 'somebody', password: 'secret' }, {});
  asUser = { 'x-bb-session': user.data['X-BB-SESSION'] };
  const collection = async (name: string, schema?: object) => {
    await done('POST', `/admin/collection/${name}`, undefined, asAdmin);
    if (schema !== undefined) await done('PUT', `/admin/collection/${name}/schema`, schema, asAdmin);
  };
  await collection('plain');
  await collection('distinct', { properties: { list: { uniqueItems: true } } });
  await collection('typed', {
    additionalProperties: { type: ['integer', 'array', 'object'], items: { type: ['integer', 'object'] } },
  });
  await collection('slugs', {
    additionalProperties: { items: { pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }, pattern: '^[a-z ]+$' },
  });
  await collection('searched');
  await done('PUT', '/admin/collection/searched/search', { fields: { text: 1 } }, asAdmin);

  const created = async (content: unknown, name = 'plain') =>
    `/document/${name}/${(await done('POST', `/document/${name}`, content)).data.id}`;

  type Call = readonly [method: string, path: string, body?: unknown, type?: string | undefined];
  const request = (kind: string, name: string, make: () => Promise<Call>): Expensive => ({
    kind,
    name,
    async prepare() {
      const [method, path, body, type] = await make();
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      return () => send(method, path, text, asUser, type);
    },
  });
  /** A change of a new document. */
  const change = (
    kind: string,
    name: string,
    content: unknown,
    {
      method = 'PATCH',
      field = '',
      body,
      type,
      collection: to,
    }: {
      readonly method?: string;
      readonly field?: string;
      readonly body?: unknown;
      readonly type?: string;
      readonly collection?: string;
    },
  ) => request(kind, name, async () => [method, (await created(content, to)) + field, body, type]);

  const lists: Readonly<Record<string, readonly unknown[]>> = {
    numbers: heavy.part(heavy.numbers, 0.99),
    texts: heavy.part(heavy.texts, 0.99),
    objects: heavy.part(heavy.objects, 0.99),
  };
  const wanted = [2, 'a10000y', { a: 3, b: 99 }, { a: 1, b: 3 }];
  const all: Expensive[] = [request('none', 'health', async () => ['GET', '/health/live'])];

  for (const [what, list] of Object.entries(lists)) {
    all.push(
      change('append to a list', `\`append\`, ${what}`, { list }, { body: { append: { list: [1] } } }),
      change(
        'append to a list',
        `PUT of \`.list[]\`, ${what}`,
        { list },
        { method: 'PUT', field: '/.list[]', body: { data: 1 } },
      ),
      change('sets', `\`addToSet\`, ${what}`, { list }, { body: { addToSet: { list: wanted } } }),
      change(
        'sets',
        `three operators, ${what}`,
        { list },
        {
          body: { append: { list: [3] }, addToSet: { list: wanted }, removeFrom: { list: wanted } },
        },
      ),
      change(
        '100 paths',
        `\`set\` of 100 elements, ${what}`,
        { list },
        { body: { set: paths(100, (n) => `list[${n * 100}]`, 1) } },
      ),
      change(
        '100 paths',
        `\`remove\` of 100 elements, ${what}`,
        { list },
        { body: { remove: Array.from({ length: 100 }, (_, n) => `list[${n * 100}]`) } },
      ),
      change(
        'a field of a large document',
        `PUT, ${what}`,
        { list },
        { method: 'PUT', field: '/.x', body: { data: 1 } },
      ),
      change('a field of a large document', `GET, ${what}`, { list }, { method: 'GET', field: '/.list[7]' }),
      change(
        'bodies of 1 MB',
        `POST, ${what}`,
        {},
        { method: 'PUT', body: heavy.spaced({ list: heavy.part(list, 0.6) }) },
      ),
      change('schemas', `types, ${what}`, { list: 0 }, { method: 'PUT', body: { list }, collection: 'typed' }),
      change(
        'schemas',
        `\`uniqueItems\`, ${what}`,
        { list: 0 },
        {
          method: 'PUT',
          body: { list: what === 'numbers' ? list.map((_, n) => n).slice(0, 150_000) : list },
          collection: 'distinct',
        },
      ),
    );
  }
  const half = Object.fromEntries(Object.entries(heavy.members).slice(0, 40_000));
  all.push(
    change(
      '100 paths',
      '100 lists',
      { list: Array.from({ length: 100 }, () => heavy.part(heavy.numbers, 0.0098)) },
      {
        body: { addToSet: paths(100, (n) => `list[${n}]`, [2]), removeFrom: paths(0, String, 1) },
      },
    ),
    change('a field of a large document', 'PUT, 80,000 members', heavy.members, {
      method: 'PUT',
      field: '/.a10000',
      body: { data: 2 },
    }),
    change('merges', '40,000 members into as many', half, { body: half, type: MERGE }),
    change('merges', 'one member into 80,000', heavy.members, { body: { a10000: 2 }, type: MERGE }),
    change('merges', 'the same, with a schema', heavy.members, {
      body: { a10000: 2 },
      type: MERGE,
      collection: 'typed',
    }),
    change('bodies of 1 MB', 'PUT, 80,000 members', {}, { method: 'PUT', body: heavy.members }),
    change('bodies of 1 MB', 'PUT, names like indexes', {}, { method: 'PUT', body: { list: heavy.indexNames } }),
    change('bodies of 1 MB', 'PUT, empty objects', {}, { method: 'PUT', body: { list: heavy.emptyObjects } }),
    change(
      'schemas',
      'pattern, texts',
      { list: [] },
      { method: 'PUT', body: { list: lists.texts }, collection: 'slugs' },
    ),
    change(
      'schemas',
      'pattern, one text',
      { list: [] },
      { method: 'PUT', body: { text: heavy.longText }, collection: 'slugs' },
    ),
    change(
      'full-text search',
      'index of one text',
      { text: '' },
      { method: 'PUT', body: { text: heavy.words }, collection: 'searched' },
    ),
  );

  const batchOf = (name: string, content: unknown, one: (path: string) => object, count = 100) =>
    request('batches', name, async () => {
      const path = await created(content);
      return ['POST', '/batch', { operations: Array.from({ length: count }, () => one(path)) }];
    });
  all.push(
    batchOf('100 patches that fail', { list: lists.objects }, (path) => ({
      method: 'PATCH',
      path,
      body: { addToSet: { list: [2] }, increment: { list: 1 } },
    })),
    batchOf('100 patches of a set', { list: lists.objects }, (path) => ({
      method: 'PATCH',
      path,
      body: { addToSet: { list: wanted } },
    })),
    batchOf('100 fields', { list: lists.numbers }, (path) => ({ method: 'GET', path: `${path}/.list[7]` })),
    batchOf('4 documents of 1 MB', {}, () => ({ method: 'POST', path: '/document/plain', body: heavy.members }), 4),
    batchOf(
      '4 lists of 1 MB',
      {},
      () => ({ method: 'POST', path: '/document/plain', body: { list: lists.numbers } }),
      4,
    ),
  );

  await collection('rows');
  const row = (n: number) => ({ n, group: n % 500, list: heavy.part(heavy.objects, 0.007), text: 'word '.repeat(100) });
  const rows: string[] = [];
  for (let n = 0; n < 1100; n++) rows.push((await done('POST', '/document/rows', row(n))).data.id);
  const list = (kind: string, query: string, name = decodeURIComponent(query)) =>
    request(kind, name, async () => ['GET', `/document/rows?recordsPerPage=1000&${query}`]);
  all.push(
    list('lists', 'orderBy=n'),
    list('lists', 'orderBy=text%20desc,n'),
    list('lists', "where=text%20like%20'%25xyz%25'"),
    list('projections', 'fields=n,text,list'),
    list(
      'projections',
      `fields=${Array.from({ length: 30 }, (_, n) => `list[${n * 10}].a%20as%20f${n}`).join()}`,
      '30 elements of a list',
    ),
    list('groups', 'groupBy=group&fields=group,count(*)%20as%20c,sum(n)%20as%20s'),
    list('groups', 'groupBy=text&fields=text,max(n)%20as%20m'),
  );
  const index = await created({ list: rows.slice(0, 1000), one: rows[0] });
  all.push(request('expanded relations', '1,000 documents', async () => ['GET', `${index}?expand=list`]));
  for (let n = 0; n < 1000; n++) await created({ ref: rows[n % 900], n }, 'distinct');
  all.push(
    request('expanded relations', 'a page of 1,000', async () => [
      'GET',
      '/document/distinct?recordsPerPage=1000&where=n%20%3E%3D%200&expand=ref',
    ]),
    request('profiles', '40,000 members', async () => ['PUT', '/me', { visibleByTheUser: half }]),
  );
  return all;
}
