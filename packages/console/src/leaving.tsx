import type { ReactNode } from 'react';
import { Confirm } from './parts/dialog.tsx';
import { decide, useBlocked } from './place.ts';
import { texts } from './texts.ts';

const TEXTS = texts.leaving;

/** Asks before unsaved changes are discarded. */
export function AskToLeave(): ReactNode {
  const blocked = useBlocked();
  if (blocked === null) return null;
  return (
    <Confirm
      title={TEXTS.title}
      about={TEXTS.about}
      submit={TEXTS.discard}
      act={async () => decide(true)}
      onDone={() => undefined}
      onClose={() => decide(false)}
    />
  );
}
