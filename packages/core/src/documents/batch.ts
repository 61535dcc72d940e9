import { type Actor, isSignedIn } from '../actor.ts';
import { BatchFailure } from '../batch-failure.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { KeyedAnswer, KeyedRequest, Outcome } from '../idempotency/idempotency.ts';
import { byteLength } from '../utf8.ts';
import type { Documents } from './documents.ts';
import type { DocumentTransactions } from './transactions.ts';

export const MAX_BATCH_OPERATIONS = 100;

/** One operation of a batch. */
export interface BatchOperation {
  /** True if it may change anything. */
  readonly isWrite: boolean;
  /** Ids of the documents that it may change. */
  readonly changes: readonly string[];
  /** Resolves to the answer as text. */
  run(documents: Documents): Promise<string>;
  /** Returns the answer for a failure, as text. */
  refuse(error: AppError): string;
}

export interface Batch {
  readonly operations: readonly BatchOperation[];
  /** True if all operations take effect or none. Otherwise each succeeds or fails independently. */
  readonly atomic: boolean;
  /** Size of answers after which no further operation starts, in bytes. */
  readonly maxAnswers: number;
  readonly keyed: KeyedRequest | null;
}

/** Failures that would also affect the other operations of the batch. */
const FATAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['storage.unavailable', 'storage.schema_too_new']);

const isRefusal = (error: unknown): error is AppError => isAppError(error) && !FATAL.has(error.code);

/** Runs the operations in order. Resolves to a JSON array of their answers. */
async function runAll(documents: Documents, { operations, atomic, maxAnswers }: Batch): Promise<Outcome> {
  const answers: string[] = [];
  let bytes = 0;
  let hasChanged = false;

  async function run(operation: BatchOperation, index: number): Promise<string> {
    try {
      if (bytes > maxAnswers) throw new AppError('batch.answer_too_large');
      const answer = await operation.run(documents);
      hasChanged ||= operation.isWrite;
      return answer;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (atomic) throw new BatchFailure(index, error);
      return operation.refuse(error);
    }
  }

  for (const [index, operation] of operations.entries()) {
    const answer = await run(operation, index);
    answers.push(answer);
    bytes += byteLength(answer);
  }
  return { data: `[${answers.join(',')}]`, hasChanged };
}

export interface BatchesDeps {
  readonly documents: Documents;
  readonly transact: DocumentTransactions;
}

export type Batches = ReturnType<typeof createBatches>;

export function createBatches({ documents, transact }: BatchesDeps) {
  return {
    /**
     * Runs the operations in order in one transaction; each sees the effects of earlier ones. Resolves to a JSON array
     * of the answers, in the same order.
     *
     * @throws `BatchFailure` for the first failing operation, if the batch is atomic; `idempotency.*`
     */
    async run(actor: Actor, batch: Batch): Promise<KeyedAnswer> {
      const { operations, keyed } = batch;
      const work = (on: Documents) => runAll(on, batch);
      // All writes of anonymous callers are rejected, so they need no lock. A batch that only reads can safely be
      // repeated.
      const mayWrite = isSignedIn(actor) && operations.some(({ isWrite }) => isWrite);
      if (!mayWrite) return { data: (await work(documents)).data, isReplay: false };
      const changes = new Set(operations.flatMap((operation) => operation.changes));
      return transact(actor, { changes: Array.from(changes), keyed, work });
    },
  };
}
