import type { ServiceCheck } from '@baobab/client/admin';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';

const MARKS = { ok: '✓', fault: '✗', skipped: '–' } as const;

/** Result of a check as text. Colors only repeat it. */
export function State({ state }: { readonly state: ServiceCheck['state'] }): ReactNode {
  return (
    <span className={`state ${state}`}>
      <span aria-hidden="true">{MARKS[state]}</span> {texts.overview.states[state]}
    </span>
  );
}
