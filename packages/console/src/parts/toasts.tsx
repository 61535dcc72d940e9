import { CircleCheck, X } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { texts } from '../texts.ts';
import { ICON_SIZE, IconButton } from './button.tsx';

const SHOWN_MS = 4_000;
const MOST = 3;

interface Shown {
  readonly key: number;
  readonly text: string;
}

let shown: readonly Shown[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly Shown[]): void {
  shown = next;
  for (const listener of [...listeners]) listener();
}

const close = (key: number) => change(shown.filter((one) => one.key !== key));

/** Announces the result of an action for a few seconds. */
export function toast(text: string): void {
  const key = count++;
  change([...shown, { key, text }].slice(-MOST));
  setTimeout(() => close(key), SHOWN_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/**
 * The list of toasts. Those of the library are dialogs, hide their buttons from screen readers while these can be
 * focused, and stay while the window has no focus.
 */
export function Toasts(): ReactNode {
  const all = useSyncExternalStore(subscribe, () => shown);
  return createPortal(
    <div className="toasts" role="status">
      {all.map(({ key, text }) => (
        <div key={key} className="toast">
          <CircleCheck size={ICON_SIZE} aria-hidden={true} />
          <span className="grow">{text}</span>
          <IconButton icon={X} label={texts.dismiss} isSmall={true} onClick={() => close(key)} />
        </div>
      ))}
    </div>,
    document.body,
  );
}
