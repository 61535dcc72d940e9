import type { ReactNode } from 'react';
import { Button } from './button.tsx';

interface RowActionProps {
  /** Accessible name, which also names the row. */
  readonly label: string;
  readonly isBusy: boolean;
  readonly act: () => unknown;
  /** Text of the button. */
  readonly children: string;
}

/** A button of one row of a short table. */
export const RowAction = ({ label, isBusy, act, children }: RowActionProps): ReactNode => (
  <Button kind="ghost" isSmall={true} disabled={isBusy} aria-label={label} onClick={act}>
    {children}
  </Button>
);
