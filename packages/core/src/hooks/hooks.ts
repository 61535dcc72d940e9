import type { Actor } from '../actor.ts';
import type { JsonObject } from '../json-text.ts';

/** A document as shown to a hook: the version on which the write is based. */
export interface ShownDocument {
  readonly id: string;
  /** User name of the author. */
  readonly author: string;
  readonly version: number;
  /** In milliseconds. */
  readonly created: number;
  /** In milliseconds. */
  readonly updated: number;
  readonly content: JsonObject;
}

/** Writes that hooks precede, with what is shown to them. Hooks may change or replace `content`. */
export interface BeforeEvents {
  'document.create': { readonly collection: string; content: JsonObject };
  'document.update': { readonly collection: string; readonly document: ShownDocument; content: JsonObject };
  'document.delete': { readonly collection: string; readonly document: ShownDocument };
  /** `content`: sections of the profile by name. `username`: null if it is generated. */
  'user.create': { readonly username: string | null; content: JsonObject };
  'user.login': { readonly userId: string; readonly username: string; readonly method: string };
  'file.create': { readonly fileName: string; readonly contentType: string; readonly size: number };
  /** `username`: who joins, or is invited. */
  'group.join': { readonly group: string; readonly username: string };
}

export type BeforeEvent = keyof BeforeEvents;

/** Functions of extensions that run before writes, outside of transactions. */
export interface Hooks {
  /** Returns true if there is a hook. @param collection key of the collection, for documents */
  has(event: BeforeEvent, collection?: string): boolean;
  /** Runs the hooks one after the other. @throws `extension.refused`, `extension.failed`, `extension.timeout` */
  run<E extends BeforeEvent>(event: E, shown: BeforeEvents[E], actor: Actor): Promise<void>;
  /** Ids of the webhooks whose handlers are told of new users. */
  readonly afterUser: readonly string[];
}

export const NO_HOOKS: Hooks = { has: () => false, run: async () => undefined, afterUser: [] };

/** Shows a write to the hooks. To be called in its transaction, once the write is allowed. */
export type ShowToHooks<E extends BeforeEvent> = (shown: BeforeEvents[E], actor: Actor) => void;

/** Rolls back a transaction whose write no hook has seen. */
class Rehearsed<E extends BeforeEvent> extends Error {
  readonly shown: BeforeEvents[E];
  readonly actor: Actor;

  constructor(shown: BeforeEvents[E], actor: Actor) {
    super('rehearsed');
    this.shown = shown;
    this.actor = actor;
  }
}

/**
 * Performs a transaction that hooks precede. Hooks must not hold a transaction, and must not run for a write that is
 * refused anyway. Therefore the transaction is rehearsed until it shows its write, and rolled back. Then the hooks run,
 * and the transaction is repeated. The hooks run again if it then shows another write, for example because of a rename.
 *
 * @throws `extension.*`, the errors of `work`
 */
export async function precededBy<E extends 'user.login' | 'group.join', T>(
  hooks: Hooks,
  event: E,
  work: (show: ShowToHooks<E>) => Promise<T>,
): Promise<T> {
  if (!hooks.has(event)) return work(() => undefined);
  let permitted: string | null = null;
  const show: ShowToHooks<E> = (shown, actor) => {
    if (JSON.stringify(shown) !== permitted) throw new Rehearsed(shown, actor);
  };
  for (;;) {
    try {
      return await work(show);
    } catch (error) {
      if (!(error instanceof Rehearsed)) throw error;
      await hooks.run(event, error.shown, error.actor);
      permitted = JSON.stringify(error.shown);
    }
  }
}
