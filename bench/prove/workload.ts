import type { Client, Reply } from './client.ts';
import { bytesOf, contentOf, digest, type KnownDocument, type Ledger, type Pair } from './ledger.ts';

/** Creations per batch. */
export const BATCH = 20;
const FIRST_FAILURE = 300;
const UNAVAILABLE = 503;
/** Status if no node was up. */
const NOT_SENT = -1;

/** Target and identity of the writers. */
export interface Target {
  readonly client: Client;
  /** Current address of this worker; null: none is up, stop. */
  address(worker: number): string | null;
  readonly writer: string;
  /** Name of the user whom documents are shared with. */
  readonly reader: string;
}

export interface Load {
  /** Sends no further requests, and waits for those in progress. */
  stop(): Promise<void>;
  /** Resolves after this many acknowledged requests in total. */
  reached(acknowledged: number): Promise<void>;
}

type Outcome = 'done' | 'lost' | 'odd';

interface Own {
  readonly documents: Array<[string, KnownDocument]>;
  readonly files: string[];
  pair: Pair | null;
}

type Step = (own: Own, key: string, n: number) => Promise<Outcome>;

/** Number of requests of each kind per hundred. */
const MIX = { create: 38, replace: 16, batch: 10, pair: 10, append: 4, grant: 10, upload: 5, removeFile: 1, remove: 6 };

function createSteps({ client, address, writer, reader }: Target, ledger: Ledger, worker: number) {
  const documents = `/document/${ledger.collection}`;

  async function send(method: string, path: string, more: { body?: unknown; file?: Buffer } = {}): Promise<Reply> {
    const to = address(worker);
    if (to === null) return { status: NOT_SENT, bytes: Buffer.alloc(0), body: null };
    return client.send(method, to + path, { token: writer, ...more });
  }

  function judge({ status, bytes }: Reply, what: string, writes = 1): Outcome {
    if (status === NOT_SENT) return 'lost';
    if (status === 0 || status === UNAVAILABLE) {
      ledger.lost++;
      return 'lost';
    }
    if (status >= FIRST_FAILURE) {
      ledger.odd.push(`${what}: ${status} ${bytes.subarray(0, 300)}`);
      return 'odd';
    }
    ledger.acknowledged++;
    ledger.writes += writes;
    return 'done';
  }

  /**
   * Changes a document of this worker. Without a response, the old and new states are both possible, and the document
   * is not changed again.
   */
  async function change<State>(
    owned: { readonly drop: () => void; readonly set: (states: readonly State[]) => void },
    states: readonly [old: State, next: State],
    reply: Promise<Reply>,
    { what, writes = 1 }: { readonly what: string; readonly writes?: number },
  ): Promise<Outcome> {
    // Recorded before the request, because the process may be killed at any moment.
    owned.set(states);
    const outcome = judge(await reply, what, writes);
    if (outcome === 'done') owned.set([states[1]]);
    else owned.drop();
    return outcome;
  }

  async function create({ documents: own }: Own, key: string, n: number): Promise<Outcome> {
    ledger.unanswered.add(key);
    const reply = await send('POST', documents, { body: contentOf(key, n) });
    const outcome = judge(reply, 'create');
    if (outcome !== 'done') return outcome;
    ledger.unanswered.delete(key);
    const known: KnownDocument = { key, values: [n], exists: [true], granted: [false] };
    ledger.documents.set(reply.body.data.id, known);
    own.push([reply.body.data.id, known]);
    return outcome;
  }

  async function createPair(own: Own, key: string): Promise<Outcome> {
    const operations = [0, 0].map((value) => ({ method: 'POST', path: documents, body: { pair: key, value } }));
    const reply = await send('POST', '/batch', { body: { atomic: true, operations } });
    const outcome = judge(reply, 'pair', 2);
    if (outcome !== 'done') return outcome;
    const [a, b] = reply.body.data.map(({ data }: { data: { id: string } }) => data.id);
    own.pair = { ids: [a, b], values: [0] };
    ledger.pairs.push(own.pair);
    return outcome;
  }

  const steps: Readonly<Record<keyof typeof MIX, Step>> = {
    create,
    async replace(own, key, n) {
      const [id, known] = own.documents.at(-1) ?? [];
      if (id === undefined || known === undefined) return create(own, key, n);
      const owned = {
        drop: () => void own.documents.pop(),
        set: (values: readonly number[]) => {
          known.values = values;
        },
      };
      const reply = send('PUT', `${documents}/${id}`, { body: contentOf(known.key, n) });
      return change(owned, [known.values[0] ?? 0, n], reply, { what: 'replace' });
    },
    async batch(_own, key) {
      ledger.batches.set(key, false);
      const operations = Array.from({ length: BATCH }, (_, at) => ({
        method: 'POST',
        path: documents,
        body: { ...contentOf(`${key}-${at}`, at), batch: key },
      }));
      const outcome = judge(await send('POST', '/batch', { body: { atomic: true, operations } }), 'batch', BATCH);
      if (outcome === 'done') ledger.batches.set(key, true);
      return outcome;
    },
    async pair(own, key, n) {
      const { pair } = own;
      if (pair === null) return createPair(own, key);
      const operations = pair.ids.map((id, at) => ({
        method: 'PUT',
        path: `${documents}/${id}/.value`,
        body: { data: at === 0 ? n : -n },
      }));
      const owned = {
        drop: () => {
          own.pair = null;
        },
        set: (values: readonly number[]) => {
          pair.values = values;
        },
      };
      const reply = send('POST', '/batch', { body: { atomic: true, operations } });
      return change(owned, [pair.values[0] ?? 0, n], reply, { what: 'batch of two', writes: 2 });
    },
    async append(_own, key) {
      ledger.appended.set(key, false);
      const outcome = judge(
        await send('PUT', `${documents}/${ledger.shared}/.items[]`, { body: { data: key } }),
        'append',
      );
      if (outcome === 'done') ledger.appended.set(key, true);
      return outcome;
    },
    async grant(own, key, n) {
      const [id, known] = own.documents.at(-1) ?? [];
      if (id === undefined || known === undefined) return create(own, key, n);
      const [was = false] = known.granted;
      const owned = {
        drop: () => void own.documents.pop(),
        set: (states: readonly boolean[]) => {
          known.granted = states;
        },
      };
      const reply = send(was ? 'DELETE' : 'PUT', `${documents}/${id}/read/user/${reader}`);
      return change(owned, [was, !was], reply, { what: 'grant' });
    },
    async upload(own, key) {
      const file = bytesOf(key);
      const reply = await send('POST', '/file', { file });
      const outcome = judge(reply, 'upload');
      if (outcome !== 'done') return outcome;
      ledger.files.set(reply.body.data.id, { sha256: digest(file), exists: [true] });
      own.files.push(reply.body.data.id);
      return outcome;
    },
    async removeFile(own, key, n) {
      const id = own.files.shift();
      const known = id === undefined ? undefined : ledger.files.get(id);
      if (known === undefined) return create(own, key, n);
      const owned = {
        drop: () => undefined,
        set: (exists: readonly boolean[]) => {
          known.exists = exists;
        },
      };
      return change(owned, [true, false], send('DELETE', `/file/${id}`), { what: 'removal of a file' });
    },
    async remove(own, key, n) {
      const [id, known] = own.documents.length > 1 ? (own.documents.shift() ?? []) : [];
      if (id === undefined || known === undefined) return create(own, key, n);
      const owned = {
        drop: () => undefined,
        set: (exists: readonly boolean[]) => {
          known.exists = exists;
        },
      };
      return change(owned, [true, false], send('DELETE', `${documents}/${id}`), { what: 'removal' });
    },
  };
  return steps;
}

/** The kinds of requests, in the proportions of the mix. */
const DECK = Object.entries(MIX).flatMap(([name, share]) =>
  Array<keyof typeof MIX>(share).fill(name as keyof typeof MIX),
);
/** Step through the deck that distributes the kinds evenly. */
const STRIDE = 37;
const PAUSE_AFTER_LOSS_MS = 20;
const LOOK_MS = 5;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Sends writes of all kinds over `workers` connections, each as soon as the previous one is answered. */
export function startLoad(target: Target, ledger: Ledger, workers: number): Load {
  let stopping = false;

  async function work(worker: number): Promise<void> {
    const steps = createSteps(target, ledger, worker);
    const own: Own = { documents: [], files: [], pair: null };
    for (let n = 1; !stopping; n++) {
      const step = steps[DECK[(n * STRIDE + worker * 7) % DECK.length] ?? 'create'];
      const outcome = await step(own, `${worker}-${n}`, n);
      if (outcome !== 'done') await pause(PAUSE_AFTER_LOSS_MS);
    }
  }
  const running = Array.from({ length: workers }, (_, worker) => work(worker));
  return {
    async stop() {
      stopping = true;
      await Promise.all(running);
    },
    async reached(acknowledged) {
      while (!stopping && ledger.acknowledged < acknowledged) await pause(LOOK_MS);
    },
  };
}
