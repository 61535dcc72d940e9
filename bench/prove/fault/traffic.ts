import type { Reply } from '../client.ts';
import { bytesOf, contentOf, digest } from '../ledger.ts';
import type { Place } from '../place.ts';

/** Kind of request of a connection. */
export type Kind = 'read' | 'list' | 'create' | 'upload' | 'download';

export interface Traffic {
  /** Returns true if each worker succeeded with a request that began after `moment`. */
  areAllWellSince(moment: number): boolean;
  stop(): Promise<void>;
  figures(): {
    /** Number of responses by status. */
    readonly answers: ReadonlyMap<number, number>;
    /** Unexplained responses. */
    readonly odd: readonly string[];
    /** Longest response time, in milliseconds. */
    readonly longest: number;
    /** Longest response time of concurrent reads without files; null without files. */
    readonly longestAside: number | null;
  };
  acknowledged(): number;
  /** Returns acknowledged data that is missing. */
  lost(): Promise<string[]>;
}

const WORKERS = 12;
const FILES = 4;
const UNAVAILABLE = 503;
const PAGE = 1000;
const PAUSE_AFTER_FAILURE_MS = 50;
let opened = 0;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const isOk = (status: number) => status >= 200 && status < 300;

/** Sends requests of some kinds until it is stopped. */
export async function openTraffic({ client, viewer }: Place, kinds: readonly Kind[]): Promise<Traffic> {
  const { address, admin, writer } = viewer();
  const collection = `traffic-${++opened}`;
  const documents = `${address}/document/${collection}`;
  await client.expect('POST', `${address}/admin/collection/${collection}`, { token: admin });
  const first = await client.expect('POST', documents, { token: writer, body: contentOf('first', 0) });
  const withFiles = kinds.includes('upload');
  const created = new Set<string>([first.body.data.id]);
  const files = new Map<string, string>();

  async function upload(key: string): Promise<Reply> {
    const file = bytesOf(key);
    const reply = await client.send('POST', `${address}/file`, { token: writer, file });
    if (isOk(reply.status)) files.set(reply.body.data.id, digest(file));
    return reply;
  }
  if (withFiles) for (let i = 0; i < FILES; i++) await upload(`first-${i}`);
  const downloads = Array.from(files);

  const steps: Readonly<Record<Kind, (n: number, key: string) => Promise<Reply>>> = {
    read: () => client.send('GET', `${documents}/${first.body.data.id}`, { token: writer }),
    list: () => client.send('GET', `${documents}?recordsPerPage=20`, { token: writer }),
    async create(n, key) {
      const reply = await client.send('POST', documents, { token: writer, body: contentOf(key, n) });
      if (isOk(reply.status)) created.add(reply.body.data.id);
      return reply;
    },
    upload: (_n, key) => upload(key),
    download(n) {
      const [id] = downloads[n % downloads.length] ?? [];
      return client.send('GET', `${address}/file/${id}`, { token: writer });
    },
  };

  const answers = new Map<number, number>();
  const odd: string[] = [];
  const longest = new Map<Kind, number>();
  const wellAt: number[] = Array<number>(WORKERS).fill(Number.NEGATIVE_INFINITY);
  let stopping = false;

  async function work(worker: number): Promise<void> {
    const kind = kinds[worker % kinds.length] ?? 'read';
    for (let n = 0; !stopping; n++) {
      const began = performance.now();
      const reply = await steps[kind](n, `${worker}-${n}`);
      longest.set(kind, Math.max(longest.get(kind) ?? 0, performance.now() - began));
      answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1);
      if (isOk(reply.status)) wellAt[worker] = began;
      else {
        if (reply.status !== UNAVAILABLE) odd.push(`${kind}: ${reply.status} ${reply.bytes.subarray(0, 200)}`);
        await pause(PAUSE_AFTER_FAILURE_MS);
      }
    }
  }
  const running = Array.from({ length: WORKERS }, (_, worker) => work(worker));

  return {
    areAllWellSince: (moment) => wellAt.every((at) => at >= moment),
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
    figures: () => ({
      answers,
      odd,
      longest: Math.max(...longest.values()),
      longestAside: withFiles ? (longest.get('read') ?? 0) : null,
    }),
    acknowledged: () => created.size + files.size,
    async lost() {
      const stored = new Set<string>();
      for (let next = ''; ; ) {
        const { body } = await client.expect('GET', `${documents}?recordsPerPage=${PAGE}${next}`, { token: writer });
        for (const { id } of body.data) stored.add(id);
        if (!body.more) break;
        next = `&cursor=${body.next}`;
      }
      const lost = Array.from(created).filter((id) => !stored.has(id));
      for (const [id, sha256] of files) {
        const { status, bytes } = await client.send('GET', `${address}/file/${id}`, { token: writer });
        if (status !== 200 || digest(bytes) !== sha256) lost.push(id);
      }
      return lost;
    },
  };
}
