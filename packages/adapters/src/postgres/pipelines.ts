import type { SqlValue } from '../sql/statements/executor.ts';
import type { Compiled } from '../sql/statements/statement.ts';
import type { Client } from './clients.ts';
import { ATTEMPTS, endsConnection, isGivenUp, translate } from './errors.ts';
import type { QueuePlace } from './gate.ts';
import { type Pool, PREPARED } from './pool.ts';
import type { Answer } from './send.ts';

/** Maximum number of statements in a pipeline: the last one waits for all before it. */
const LONGEST = 32;

/** Statements sent on one connection without waiting for each other's answers. */
interface Pipeline {
  /** Set while the pipeline waits for a slot of the gate. */
  readonly place: QueuePlace | null;
  /** Taken when the first statement is sent. */
  client: Client | null;
  joined: number;
  answered: number;
  hasBegun: boolean;
  isClosed: boolean;
}

/**
 * Runs very short statements. Those of one turn of the event loop, or that wait for a connection concurrently, share
 * one. A pipeline ends before another one takes its connection, because the driver's queues do not shrink while in
 * use.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export function createPipelines({ gate, clients, watch, oneConnection }: Pool) {
  let open: Pipeline | null = null;

  /** @throws `storage.unavailable` if too many wait */
  function join(): Pipeline {
    oneConnection.assertNone(); // also if a pipeline is open
    if (open === null || open.joined === LONGEST || open.place?.isRefused === true) {
      open = {
        place: gate.take(),
        client: null,
        joined: 1,
        answered: 0,
        hasBegun: false,
        isClosed: false,
      };
      return open;
    }
    if (open.place !== null && !open.place.hasBegun) gate.join(open.place);
    open.joined++;
    return open;
  }

  /** @throws `storage.unavailable` if the pool is closed */
  function clientOf(pipeline: Pipeline): Client {
    if (!pipeline.hasBegun) {
      pipeline.hasBegun = true;
      setImmediate(close, pipeline); // other statements may join for the rest of this turn
    }
    pipeline.client ??= clients.take();
    return pipeline.client;
  }

  function close(pipeline: Pipeline): void {
    pipeline.isClosed = true;
    if (open === pipeline) open = null;
    endIfDone(pipeline);
  }

  function endIfDone({ isClosed, joined, answered, client }: Pipeline): void {
    if (!isClosed || answered < joined) return;
    if (client !== null) clients.give(client, null);
    gate.leave();
  }

  function discardIfLost(pipeline: Pipeline, client: Client | null, error: unknown): void {
    if (client === null || client !== pipeline.client || !endsConnection(error)) return;
    pipeline.client = null;
    if (open === pipeline) open = null;
    clients.give(client, error);
  }

  return async function send(statement: Compiled, params: readonly SqlValue[], attempt = 1): Promise<Answer> {
    const pipeline = join();
    const { place } = pipeline;
    if (place !== null && !place.hasBegun) await place.turn;
    const begun = performance.now();
    let client: Client | null = null;
    try {
      client = clientOf(pipeline);
      return await client.send(statement.text, statement.bind(params), PREPARED);
    } catch (error) {
      discardIfLost(pipeline, client, error);
      if (attempt === ATTEMPTS || !isGivenUp(error)) throw translate(error);
    } finally {
      pipeline.answered++;
      endIfDone(pipeline);
      watch(statement.text, performance.now() - begun);
    }
    return send(statement, params, attempt + 1);
  };
}
