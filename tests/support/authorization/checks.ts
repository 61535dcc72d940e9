import type { Answer, Call, CallOptions } from '../backend.ts';
import { NOWHERE } from '../documents.ts';
import type { ModelDocument, Oracle } from './oracle.ts';
import { createPeopleChecks } from './people-checks.ts';
import { type Caller, COLLECTIONS, DOCUMENTS, type Random } from './steps.ts';

/** A difference between the server and the oracle. */
export class Difference extends Error {}

/** A filter and order of a list; by creation if absent. */
interface Filter {
  readonly query: string;
  keeps(document: ModelDocument): boolean;
  compare?(a: ModelDocument, b: ModelDocument): number;
}

const everything = () => true;
const byId = (a: ModelDocument, b: ModelDocument) => (a.id < b.id ? -1 : 1);
const query = (members: Readonly<Record<string, string>>) => new URLSearchParams(members).toString();

/** One line per kind of request. */
const FILTERS: readonly Filter[] = [
  { query: '', keeps: everything },
  { query: query({ where: 'n > ?', params: '50' }), keeps: ({ n }) => n > 50 },
  { query: query({ where: 'n between 20 and 29 or not n < 90' }), keeps: ({ n }) => (n >= 20 && n < 30) || n >= 90 },
  { query: query({ where: 'n in [1, 2, 3] or missing = 1' }), keeps: ({ n }) => n >= 1 && n <= 3 },
  { query: query({ orderBy: 'n asc' }), keeps: everything, compare: (a, b) => a.n - b.n || byId(a, b) },
  {
    query: query({ where: 'n < 60', orderBy: 'n desc' }),
    keeps: ({ n }) => n < 60,
    compare: (a, b) => b.n - a.n || byId(a, b),
  },
];

const PLACES_AT_ONCE = 6;

export interface ChecksDeps {
  readonly call: Call;
  readonly oracle: Oracle;
  readonly random: Random;
  credentials(caller: Caller): CallOptions;
  collectionName(place: number): string;
  userName(place: number): string;
  /** Ids by index, including deleted documents. */
  readonly ids: ReadonlyMap<number, string>;
}

/** Compares the results of a caller's requests with the predictions of the oracle. */
export function createChecks(deps: ChecksDeps) {
  const { call, oracle, random, credentials, collectionName, userName, ids } = deps;
  const { below, chance, pick } = random;

  function expectSame(what: string, found: unknown, expected: unknown): void {
    const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
    if (a !== b) throw new Difference(`${what}\n  found    ${a}\n  expected ${b}`);
  }

  const ask = (caller: Caller, url: string) => call('GET', url, credentials(caller));
  const people = createPeopleChecks({ oracle, random, userName, ask, expectSame });

  const rowsOf = (documents: readonly ModelDocument[]) => documents.map(({ id, n }) => [id, n]);

  async function get(caller: Caller, url: string): Promise<Answer> {
    const answer = await call('GET', url, credentials(caller));
    if (answer.status !== 200) throw new Difference(`${caller}: GET ${url}: ${answer.status}: ${answer.text}`);
    return answer;
  }

  function expected(caller: Caller, collection: number, { keeps, compare }: Filter): ModelDocument[] {
    const kept = oracle.visible(caller, collection).filter(keeps);
    return compare === undefined ? kept : kept.toSorted(compare);
  }

  async function list(caller: Caller, collection: number, filter: Filter, size: number | null): Promise<void> {
    const start = `/document/${collectionName(collection)}?${filter.query}${size === null ? '' : `&recordsPerPage=${size}`}`;
    const found: unknown[] = [];
    for (let next = ''; ; ) {
      const { body, data } = await get(caller, `${start}${next}`);
      for (const { id, n } of data) found.push([id, n]);
      if (!body.more) break;
      next = `&cursor=${body.next}`;
    }
    expectSame(`${caller}: GET ${start} by pages`, found, rowsOf(expected(caller, collection, filter)));
  }

  async function page(caller: Caller, collection: number, filter: Filter): Promise<void> {
    const [number, size, skip] = [below(4), 1 + below(9), below(3)];
    const url = `/document/${collectionName(collection)}?${filter.query}&page=${number}&recordsPerPage=${size}&skip=${skip}&total=true`;
    const all = rowsOf(expected(caller, collection, filter));
    const from = skip + number * size;
    const { data, body } = await get(caller, url);
    const found = data.map(({ id, n }: ModelDocument) => [id, n]);
    expectSame(
      `${caller}: GET ${url}`,
      [found, body.more, body.total],
      [all.slice(from, from + size), all.length > from + size, all.length],
    );
  }

  async function count(caller: Caller, collection: number, filter: Filter): Promise<void> {
    const base = `/document/${collectionName(collection)}`;
    const n = expected(caller, collection, filter).length;
    if (chance(0.5)) {
      const { data } = await get(caller, `${base}/count?${filter.query}`);
      expectSame(`${caller}: GET ${base}/count?${filter.query}`, data, { count: n });
    } else {
      const { data } = await get(caller, `${base}?count=true&${filter.query}`);
      expectSame(`${caller}: GET ${base}?count=true&${filter.query}`, data, [{ count: n }]);
    }
  }

  /**
   * Returns a path of the document and the expected status: in its collection, by id alone, or in the wrong collection.
   */
  function address(caller: Caller, place: number): { readonly path: string; readonly status: number } {
    const [document, id] = [oracle.documentAt(place), ids.get(place) ?? NOWHERE];
    const status = oracle.readStatus(caller, place);
    const collection = document?.collection ?? 0;
    const how = pick(['whole', 'whole', 'id', 'wrong'] as const);
    if (how === 'id') return { path: `/document/${id}`, status };
    const isWrong = how === 'wrong';
    const path = `/document/${collectionName(isWrong ? (collection + 1) % COLLECTIONS : collection)}/${id}`;
    return { path, status: isWrong && status !== 401 ? 404 : status };
  }

  async function reads(caller: Caller, places: readonly number[]): Promise<void> {
    const asked = places.map((place) => ({ place, ...address(caller, place) }));
    const operations = asked.map(({ path }) => ({ method: 'GET', path }));
    const answer = await call('POST', '/batch', { ...credentials(caller), body: { operations } });
    const found = answer.status === 200 ? answer.data : asked.map(() => answer.body);
    for (const [at, { place, path, status }] of asked.entries()) {
      const { http_code, data } = found[at];
      const n = status === 200 ? oracle.documentAt(place)?.n : undefined;
      expectSame(`${caller}: GET ${path} in a batch`, [http_code, data?.n], [status, n]);
    }
  }

  async function read(caller: Caller, place: number): Promise<void> {
    const { path, status } = address(caller, place);
    const answer = await call('GET', path, credentials(caller));
    const n = status === 200 ? oracle.documentAt(place)?.n : undefined;
    expectSame(`${caller}: GET ${path}`, [answer.status, answer.data?.n], [status, n]);
  }

  async function refused(caller: Caller): Promise<void> {
    const { status } = await call('GET', `/document/${collectionName(0)}`, credentials(caller));
    expectSame(`${caller}: GET of a list`, status, 401);
  }

  return {
    /** Compares a list, a count, a page and some documents. @throws `Difference` */
    async someOf(caller: Caller): Promise<void> {
      await read(caller, below(DOCUMENTS));
      await reads(
        caller,
        Array.from({ length: PLACES_AT_ONCE }, () => below(DOCUMENTS)),
      );
      await people.someOf(caller);
      if (!oracle.canSignIn(caller)) return refused(caller);
      const [collection, filter] = [below(COLLECTIONS), pick(FILTERS)];
      await list(caller, collection, filter, pick([6, 15, null]));
      await (chance(0.5) ? page(caller, collection, filter) : count(caller, collection, filter));
    },
    /** Compares every list, count and document. @throws `Difference` */
    async allOf(caller: Caller): Promise<void> {
      await reads(
        caller,
        Array.from({ length: DOCUMENTS }, (_, place) => place),
      );
      await people.allOf(caller);
      if (!oracle.canSignIn(caller)) return refused(caller);
      for (let collection = 0; collection < COLLECTIONS; collection++) {
        for (const filter of FILTERS) {
          await list(caller, collection, filter, null);
          await list(caller, collection, filter, 5);
          await count(caller, collection, filter);
        }
      }
    },
  };
}
