import { createWebhookSender } from '@baobab/adapters/webhooks';
import { createTestBackend } from '@baobab/server/testing';
import type { Json } from '../../packages/http/src/reference/document.ts';
import type { Example, Examples } from '../../packages/http/src/reference/examples.ts';
import { type Answer, type CallOptions, createCall } from '../support/backend.ts';
import { createHandDrivenClock } from '../support/clock.ts';
import { createFinder } from '../support/openapi/check.ts';
import { currentDocument } from '../support/openapi/conformance.ts';
import { createCountingSecrets } from './secrets.ts';

const START = Date.UTC(2026, 0, 2, 9, 0);
const SECOND_MS = 1000;

/** The durations of requests differ from run to run. */
const MINUTE = { requests: 1200, clientErrors: 3, serverErrors: 0, p50: 1.8, p95: 12.5 };

const ADVISED = {
  conditions: [
    { field: 'author.born', operator: '=' },
    { field: 'title', operator: 'like' },
  ],
  orderBy: [{ field: '_creation_date', descending: true }],
  searches: 120,
  milliseconds: 480,
  returned: 2400,
  index: 'author.born',
};

/** An answer, or another one in its place that does not differ from run to run. */
function steady(operation: string, body: unknown): unknown {
  const since = '2026-01-02T08:59:00.000+0000';
  if (operation === 'adviseIndexes') {
    return { result: 'ok', data: { since, documents: 10_000, criteria: [ADVISED] }, http_code: 200 };
  }
  if (operation !== 'readTraffic') return body;
  return { result: 'ok', data: { since, minutes: [{ time: since, ...MINUTE }] }, http_code: 200 };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A scenario whose calls become the examples: the first request of each operation, and the first answer of each status.
 */
export async function createCapture() {
  const clock = createHandDrivenClock(START);
  const backend = await createTestBackend({
    clock,
    secrets: createCountingSecrets(),
    publicUrl: 'https://api.example.org',
    adminPassword: 'change-me',
    webhookSender: {
      ...createWebhookSender({ allowsPrivate: false }),
      createSecret: () => `whsec_${Buffer.alloc(32, 'example').toString('base64')}`,
      send: async () => ({ status: 204, body: '', error: null, isRefused: false, retryAfter: null }),
    },
  });
  const find = createFinder((await currentDocument()).document);
  const send = createCall(backend);
  const examples = new Map<string, Mutable<Example> & { answers: Record<string, Json> }>();

  function exampleOf(method: string, url: string, options: CallOptions, isGood: boolean) {
    const found = find(method, url);
    if (found === null) throw new Error(`${method} ${url} is no operation`);
    const { operationId } = found.operation;
    const query = Object.fromEntries(new URLSearchParams(url.split('?', 2)[1] ?? ''));
    const before = examples.get(operationId);
    const { body, form } = options;
    const sent =
      form === undefined
        ? { type: 'application/json', value: body as Json }
        : { type: 'application/x-www-form-urlencoded', value: { ...form } };
    const example = before ?? { parameters: {}, answers: {} };
    if (isGood && Object.keys(example.answers).every((status) => Number(status) >= 400)) {
      example.parameters = { ...found.params, ...query };
      if (body !== undefined || form !== undefined) example.body = sent;
    }
    examples.set(operationId, example);
    return { example, operationId };
  }

  return {
    backend,
    now: clock.now,
    /** Calls, and records the exchange. */
    async call(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
      clock.advance(SECOND_MS);
      const answer = await send(method, url, options);
      const { example, operationId } = exampleOf(method, url, options, answer.status < 300);
      example.answers[answer.status] ??= JSON.parse(JSON.stringify(steady(operationId, answer.body) ?? null)) as Json;
      return answer;
    },
    /** By operation, in the order of their names. */
    examples(): Examples {
      return Object.fromEntries([...examples].toSorted(([one], [other]) => (one < other ? -1 : 1)));
    },
  };
}

export type Capture = Awaited<ReturnType<typeof createCapture>>;
