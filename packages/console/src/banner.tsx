import { RotateCw, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, ICON_SIZE } from './parts/button.tsx';
import { useIsReachable, useService } from './parts/service.ts';
import { texts } from './texts.ts';

/** Says that the server does not answer, until it does. */
export function Unreachable(): ReactNode {
  const { reachability } = useService();
  const isReachable = useIsReachable();
  return (
    <div role="status">
      {!isReachable && (
        <div className="banner">
          <WifiOff size={ICON_SIZE} aria-hidden={true} />
          <span className="grow">{texts.failure.unreachable}</span>
          <Button icon={RotateCw} isSmall={true} onClick={reachability.check}>
            {texts.retry}
          </Button>
        </div>
      )}
    </div>
  );
}
