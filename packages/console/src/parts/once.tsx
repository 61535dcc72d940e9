import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { CopyField } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface OnceProps {
  readonly title: string;
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** A secret that is shown only once. */
export function Once({ title, label, value, onClose }: OnceProps): ReactNode {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="overlay-body">
        <CopyField label={label} value={value} about={texts.parts.once} />
      </div>
      <div className="overlay-foot">
        <Button kind="primary" onClick={onClose}>
          {texts.done}
        </Button>
      </div>
    </Dialog>
  );
}
