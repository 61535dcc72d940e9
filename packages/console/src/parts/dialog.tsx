import type { PresenceOptions } from '@baobab/client';
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { Failure } from './failure.tsx';
import { Field } from './field.tsx';
import { useFreshAction } from './fresh.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A modal dialog of the browser: it traps the focus, closes with Escape, and restores the focus afterwards. */
export function Dialog({ title, onClose, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // A dialog restores the focus only if it is closed while still in the page.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
}

/** Covers the whole page, including open dialogs, until it unmounts. */
export function Cover({ children }: { readonly children: ReactNode }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  return (
    <dialog ref={dialog} className="cover" aria-label={texts.signIn.title} onCancel={(event) => event.preventDefault()}>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly about: string;
  /** Text that the user must type to confirm; absent: none. */
  readonly typed?: string;
  /** Shown below the text. */
  readonly children?: ReactNode;
  readonly act: (presence: PresenceOptions) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Confirmation of a destructive action. */
export function Confirm({ title, about, typed, children, act, onDone, onClose }: ConfirmProps): ReactNode {
  const [text, setText] = useState('');
  const { isBusy, error, field, run } = useFreshAction();
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={async (event) => {
          event.preventDefault();
          if (await run(act)) onDone();
        }}
      >
        <p>{about}</p>
        {children}
        {typed !== undefined && <Field label={texts.name} value={text} onChange={setText} />}
        {field}
        <Failure error={error} />
        <div className="row">
          <button type="submit" className="danger" disabled={isBusy || (typed !== undefined && text !== typed)}>
            {title}
          </button>
          <button type="button" onClick={onClose}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
