import type { Actor } from '../actor.ts';
import { AppError, type ErrorCode, isAppError } from '../errors.ts';
import type { KeyedAnswer, KeyedRequest } from '../idempotency/idempotency.ts';
import type { Documents } from './documents.ts';
import type { DocumentTransactions } from './transactions.ts';

export const MAX_BATCH_OPERATIONS = 100;

/** One call of a batch. */
export interface BatchOperation {
  /** Whether it may change anything. */
  readonly isWrite: boolean;
  /** Id of the document that it may change; null for a new one, or none. */
  readonly changes: string | null;
  /** Resolves to its answer as text. */
  run(documents: Documents): Promise<string>;
  /** The answer when it fails, as text. */
  refuse(error: AppError): string;
}

export interface Batch {
  readonly operations: readonly BatchOperation[];
  /** All or nothing; else each succeeds or fails for itself. */
  readonly atomic: boolean;
  /** Characters of answers after which no further operation is begun. */
  readonly maxAnswers: number;
  readonly keyed: KeyedRequest | null;
}

/** What no other operation of the batch would survive either. */
const FATAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['storage.unavailable', 'storage.from_future']);

const isRefusal = (error: unknown): error is AppError => isAppError(error) && !FATAL.has(error.code);

/** The error with the place of the operation. */
function at(operation: number, error: AppError): AppError {
  const { code, detail, retryAfter } = error;
  return new AppError(code, {
    operation,
    cause: error,
    ...(detail === null ? {} : { detail }),
    ...(retryAfter === null ? {} : { retryAfter }),
  });
}

/** Runs the operations one after the other. Resolves to their answers as a JSON array. */
async function runAll(documents: Documents, { operations, atomic, maxAnswers }: Batch): Promise<string> {
  const answers: string[] = [];
  let length = 0;

  async function run(operation: BatchOperation, index: number): Promise<string> {
    try {
      if (length > maxAnswers) throw new AppError('batch.answer_too_large');
      return await operation.run(documents);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (atomic) throw at(index, error);
      return operation.refuse(error);
    }
  }

  for (const [index, operation] of operations.entries()) {
    const answer = await run(operation, index);
    answers.push(answer);
    length += answer.length;
  }
  return `[${answers.join(',')}]`;
}

export interface BatchesDeps {
  readonly documents: Documents;
  readonly transact: DocumentTransactions;
}

export type Batches = ReturnType<typeof createBatches>;

export function createBatches({ documents, transact }: BatchesDeps) {
  return {
    /**
     * Runs the operations in their order, each seeing what those before it did, in one transaction. Resolves to the
     * answers as a JSON array, in the same order.
     *
     * @throws what the first operation to fail throws, with its place, when the batch is atomic; `idempotency.*`
     */
    async run(actor: Actor, batch: Batch): Promise<KeyedAnswer> {
      const { operations, keyed } = batch;
      const work = (on: Documents) => runAll(on, batch);
      // Anonymous callers are refused each write, and take nobody's turn for it.
      const mayWrite = actor.user !== null && (keyed !== null || operations.some(({ isWrite }) => isWrite));
      if (!mayWrite) return { data: await work(documents), isReplay: false };
      const changes = new Set(operations.flatMap((operation) => operation.changes ?? []));
      return transact(actor, { changes: Array.from(changes), keyed, work });
    },
  };
}
