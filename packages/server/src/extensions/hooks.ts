import type { Actor, BeforeEvent, BeforeEvents, Hooks, Logger } from '@baobab/core';
import { failureOf, inTime } from './failures.ts';
import { callerOf } from './routes.ts';
import { runningHook } from './running-hook.ts';
import type { AdminData, BeforeOptions } from './types.ts';

const DEFAULT_LIMIT_MS = 1_000;
const MAX_LIMIT_MS = 30_000;
/** Maximum number of hooks of which each is started by a write of the one before. */
const MAX_DEPTH = 8;

const EVENTS: Readonly<Record<BeforeEvent, true>> = {
  'document.create': true,
  'document.update': true,
  'document.delete': true,
  'user.create': true,
  'user.login': true,
  'file.create': true,
  'group.join': true,
};

export interface DeclaredHook {
  /** Name of the extension. */
  readonly extension: string;
  readonly event: BeforeEvent;
  readonly options: BeforeOptions<string>;
  readonly run: (event: object) => unknown;
}

/** Validates a declaration. @throws `Error` */
export function declareHook(hook: DeclaredHook): DeclaredHook {
  const { event, options, run } = hook;
  const part = `before "${event}"`;
  if (!Object.hasOwn(EVENTS, event)) throw new Error(`${part}: the events are ${Object.keys(EVENTS).join(', ')}`);
  const unknown = Object.keys(options).find((name) => name !== 'collection' && name !== 'timeout');
  if (unknown !== undefined) throw new Error(`${part}: there is no option "${unknown}"`);
  if (options.collection !== undefined && !event.startsWith('document.')) {
    throw new Error(`${part}: only documents have a collection`);
  }
  const { timeout = DEFAULT_LIMIT_MS } = options;
  if (!Number.isInteger(timeout) || timeout < 1 || timeout > MAX_LIMIT_MS) {
    throw new Error(`${part}: the timeout is between 1 and ${MAX_LIMIT_MS} ms`);
  }
  if (typeof run !== 'function') throw new Error(`${part}: a function is expected as the third argument`);
  return hook;
}

export interface HooksDeps {
  readonly logger: Logger;
  readonly data: AdminData;
  /** See `Hooks`. */
  readonly afterUser: readonly string[];
}

/** @throws `TypeError` if a hook has left a content that is not JSON */
function requireJson(passed: object): void {
  if ('content' in passed && JSON.stringify(passed.content) === undefined) {
    throw new TypeError('the content that the hook left is not JSON');
  }
}

/**
 * Runs a hook. One that is started by a write of another hook ends with that one's timeout.
 *
 * @throws `extension.timeout`, `Error` for a chain of hooks that may have no end
 */
async function runInTime(milliseconds: number, run: () => unknown): Promise<void> {
  const { deadline: end, depth } = runningHook.getStore() ?? { deadline: Number.POSITIVE_INFINITY, depth: 0 };
  if (depth === MAX_DEPTH) throw new Error(`more than ${MAX_DEPTH} hooks start each other with their writes`);
  const now = performance.now();
  const deadline = Math.min(end, now + milliseconds);
  await inTime(deadline - now, () => runningHook.run({ deadline, depth: depth + 1 }, run));
}

/** Runs the declared hooks, in the order of their declaration. */
export function createHooks(declared: readonly DeclaredHook[], { logger, data, afterUser }: HooksDeps): Hooks {
  const of = (event: BeforeEvent, collection?: string) =>
    declared.filter(
      (hook) =>
        hook.event === event &&
        (collection === undefined ||
          hook.options.collection === undefined ||
          hook.options.collection.toLowerCase() === collection.toLowerCase()),
    );

  return {
    afterUser,
    has: (event, collection) => of(event, collection).length > 0,

    async run<E extends BeforeEvent>(event: E, shown: BeforeEvents[E], actor: Actor): Promise<void> {
      const collection = 'collection' in shown ? shown.collection : undefined;
      const caller = callerOf(actor);
      for (const { extension, options, run } of of(event, collection)) {
        // Writes of the hook to members other than the content change nothing.
        const passed: object = { ...shown, caller, data };
        try {
          await runInTime(options.timeout ?? DEFAULT_LIMIT_MS, () => run(passed));
          requireJson(passed);
        } catch (error) {
          throw failureOf(error, { extension, part: `before ${event}`, requestId: null }, logger);
        }
        if ('content' in shown && 'content' in passed) Object.assign(shown, { content: passed.content });
      }
    },
  };
}
