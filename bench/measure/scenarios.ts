import type { Request } from './load.ts';
import type { Seeded } from './seed.ts';

/** The same work for both servers. */
export interface Scenario {
  readonly name: string;
  /** Fraction of bare Fastify's throughput that the server must reach. */
  readonly goal: number;
  readonly service: readonly Request[];
  readonly bare: readonly Request[];
  /** True if both responses must be identical byte for byte. */
  readonly sameAnswer: boolean;
}

const PAGE = 'recordsPerPage=20';
/** High enough that no cache profits from a single row, low enough for the generator to prepare them. */
const DISTINCT_READS = 200;

export function getScenario({ collection, owner, ids }: Seeded): Scenario {
  const step = Math.ceil(ids.length / DISTINCT_READS);
  const requests = ids
    .filter((_, i) => i % step === 0)
    .map((id): Request => ({ method: 'GET', path: `/document/${collection}/${id}`, headers: owner.headers }));
  return { name: 'get one', goal: 0.75, service: requests, bare: requests, sameAnswer: true };
}

export function createScenario({ target, owner, document }: Seeded): Scenario {
  const headers = { ...owner.headers, 'content-type': 'application/json' };
  const requests = [{ method: 'POST', path: `/document/${target}`, headers, body: document }] as const;
  return { name: 'create 1 KB, durable', goal: 0.7, service: requests, bare: requests, sameAnswer: false };
}

export function listScenarios({ collection, owner, admin }: Seeded): Scenario[] {
  const list = (path: string, headers: Request['headers']): Request[] => [{ method: 'GET', path, headers }];
  const documents = `/document/${collection}?${PAGE}`;
  const goal = 0.7;
  return [
    {
      name: 'list 20, owner',
      goal,
      service: list(documents, owner.headers),
      bare: list(`/owned/${collection}?${PAGE}`, owner.headers),
      sameAnswer: true,
    },
    {
      name: 'list 20, admin',
      goal,
      service: list(documents, admin.headers),
      bare: list(documents, admin.headers),
      sameAnswer: true,
    },
  ];
}
