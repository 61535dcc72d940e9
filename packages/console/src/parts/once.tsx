import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
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
      <CopyField label={label} value={value} about={texts.parts.once} />
      <div className="row">
        <button type="button" className="main" onClick={onClose}>
          {texts.parts.stored}
        </button>
      </div>
    </Dialog>
  );
}
