import { useCallback, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { emit, hrefOf, onPlace, type PlaceQuery } from './address.ts';

/** Position of an entry in the history, so that a blocked step back can be told from a new entry. */
const positionOf = (state: unknown): number | null =>
  typeof state === 'object' && state !== null && 'at' in state && typeof state.at === 'number' ? state.at : null;

/** Hash and position of the view on screen. While the user is asked about unsaved changes, the address may differ. */
let shown = location.hash;
let position = positionOf(history.state) ?? 0;
history.replaceState({ at: position }, '');

/** Forms with unsaved changes. */
const dirty = new Set<object>();
/** Step blocked by a form with unsaved changes; null if there is none. */
let blocked: (() => void) | null = null;
/** True for the hash change of a blocked step that is undone. */
let isUndoing = false;
/** True for the hash change of a step that the user has confirmed. */
let isConfirmed = false;

function show(hash: string, at: number): void {
  shown = hash;
  position = at;
  blocked = null;
  emit();
}

function block(act: () => void): void {
  blocked = act;
  emit();
}

addEventListener('hashchange', () => {
  const { hash } = location;
  if (isUndoing) {
    isUndoing = false;
    return;
  }
  const known = positionOf(history.state);
  if (dirty.size > 0 && !isConfirmed && hash !== shown) {
    const steps = known === null ? 1 : known - position;
    isUndoing = true;
    history.go(-steps);
    block(() => {
      isConfirmed = true;
      if (known === null) location.hash = hash;
      else history.go(steps);
    });
    return;
  }
  isConfirmed = false;
  const at = known ?? position + 1;
  if (known === null) history.replaceState({ at }, '');
  show(hash, at);
});

addEventListener('beforeunload', (event) => {
  if (dirty.size > 0) event.preventDefault();
});

/** Runs `act` immediately, or after the user has agreed to discard unsaved changes. */
export function leave(act: () => void): void {
  if (dirty.size === 0) act();
  else block(act);
}

function push(href: string): void {
  if (href === location.hash) return;
  history.pushState({ at: position + 1 }, '', href);
  show(href, position + 1);
}

export const go = (path: readonly string[], query: PlaceQuery = {}): void => leave(() => push(hrefOf(path, query)));

function replace(href: string): void {
  history.replaceState({ at: position }, '', href);
  show(href, position);
}

/** Returns a function like `go` that never asks, and does nothing once the user has left the component. */
function useWhileShown(follow: (href: string) => void): typeof go {
  const isShown = useRef(false);
  useLayoutEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useCallback(
    (path, query = {}) => {
      if (isShown.current) follow(hrefOf(path, query));
    },
    [follow],
  );
}

/** For the end of a call whose place Back should return to. */
export const useGoOn = (): typeof go => useWhileShown(push);

/** For the end of a call whose place is over, such as the view of a deleted object: Back skips it. */
export const useGoInstead = (): typeof go => useWhileShown(replace);

/** Returns the fragment of the address; re-renders when it changes. */
export const useHash = (): string => useSyncExternalStore(onPlace, () => shown);

/** Makes navigation ask before it discards the changes of a form. */
export function useUnsaved(isDirty: boolean): void {
  // Before the next key: a form that has just been saved must not ask.
  useLayoutEffect(() => {
    if (!isDirty) return;
    const form = {};
    dirty.add(form);
    return () => {
      dirty.delete(form);
    };
  }, [isDirty]);
}

/** Returns the step that waits for the user's decision; null: none. */
export const useBlocked = (): (() => void) | null => useSyncExternalStore(onPlace, () => blocked);

/** Decides about the blocked step. */
export function decide(isLeaving: boolean): void {
  const act = blocked;
  blocked = null;
  if (isLeaving) {
    dirty.clear();
    act?.();
  }
  emit();
}
