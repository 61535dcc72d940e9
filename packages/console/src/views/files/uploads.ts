import type { Progress } from '@baobab/client';

/** An upload in progress. */
interface Sending {
  readonly key: number;
  readonly name: string;
  /** Total size in bytes. */
  readonly total: number;
  readonly sent: number;
}

interface FailedUpload {
  readonly key: number;
  readonly name: string;
  readonly error: unknown;
}

export interface UploadState {
  readonly sending: readonly Sending[];
  readonly waiting: number;
  readonly done: number;
  readonly failed: number;
  /** The first failures. */
  readonly failures: readonly FailedUpload[];
}

export interface UploadCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface Uploads {
  state(): UploadState;
  /** Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  add(files: readonly File[]): void;
  abort(key: number): void;
  abortAll(): void;
  /** Clears completed and failed uploads. */
  clear(): void;
}

const AT_ONCE = 3;
const MOST_FAILURES = 20;
const IDLE: UploadState = { sending: [], waiting: 0, done: 0, failed: 0, failures: [] };

export const isIdle = ({ sending, waiting }: UploadState): boolean => sending.length === 0 && waiting === 0;

/** Uploads files, a few at a time. Keeps state only of those in progress, however many files are queued. */
export function createUploads(send: (file: File, options: UploadCallOptions) => Promise<unknown>): Uploads {
  const listeners = new Set<() => void>();
  const controllers = new Map<number, AbortController>();
  let queue: File[] = [];
  let state = IDLE;
  let count = 0;

  function change(changed: Partial<UploadState>): void {
    state = { ...state, ...changed, waiting: queue.length };
    for (const listener of listeners) listener();
  }

  function failed(key: number, name: string, error: unknown): void {
    const failures = [...state.failures, { key, name, error }].slice(0, MOST_FAILURES);
    change({ failed: state.failed + 1, failures });
  }

  async function sendOne(file: File): Promise<void> {
    const key = count++;
    const controller = new AbortController();
    const { signal } = controller;
    controllers.set(key, controller);
    change({ sending: [...state.sending, { key, name: file.name, total: file.size, sent: 0 }] });
    const onProgress = ({ sent }: Progress) =>
      change({ sending: state.sending.map((one) => (one.key === key ? { ...one, sent } : one)) });
    try {
      await send(file, { signal, onProgress });
      change({ done: state.done + 1 });
    } catch (error) {
      if (!signal.aborted) failed(key, file.name, error);
    } finally {
      controllers.delete(key);
      change({ sending: state.sending.filter((one) => one.key !== key) });
    }
  }

  function fill(): void {
    while (controllers.size < AT_ONCE) {
      const file = queue.shift();
      if (file === undefined) return;
      sendOne(file).then(fill, fill);
    }
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    add(files) {
      queue.push(...files);
      fill();
      change({});
    },
    abort: (key) => controllers.get(key)?.abort(),
    abortAll() {
      queue = [];
      for (const controller of controllers.values()) controller.abort();
      change({});
    },
    clear: () => change({ done: 0, failed: 0, failures: [] }),
  };
}
