import type { Change } from '@baobab/core';
import { documentJson } from './document.ts';

/** Returns a change as JSON text. Collection names need no escaping. */
export function changeJson(change: Change): string {
  if (change.type === 'gone') return `{"type":"gone","collection":"${change.collection}","id":"${change.id}"}`;
  const { collection, id, version } = change.document;
  return `{"type":"put","collection":"${collection}","id":"${id}","version":${version},"document":${documentJson(change.document)}}`;
}

export const changesJson = (changes: readonly Change[]) => `[${changes.map(changeJson).join(',')}]`;
