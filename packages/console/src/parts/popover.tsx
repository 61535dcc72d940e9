import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

interface PopoverProps {
  readonly trigger: ReactElement;
  readonly label: string;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

export function Popover({ trigger, label, align = 'start', children }: PopoverProps): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="positioner" side="bottom" align={align} sideOffset={4}>
          <Base.Popup className="popup padded" aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
