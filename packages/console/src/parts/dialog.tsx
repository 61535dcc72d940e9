import type { PresenceOptions } from '@baobab/client';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type FormEvent, type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { leave, useUnsaved } from '../place.ts';
import { texts } from '../texts.ts';
import { Button, IconButton } from './button.tsx';
import { Failure } from './failure.tsx';
import { Field } from './field.tsx';
import { useFreshAction } from './fresh.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** A drawer covers the right side of the window. */
  readonly kind?: 'dialog' | 'dialog wide' | 'drawer';
  /** True if closing would discard what the user has entered. Closing asks then. */
  readonly isDirty?: boolean;
  /** Controls beside the title. */
  readonly tools?: ReactNode;
}

const inputIn = (popup: HTMLElement | null) => popup?.querySelector<HTMLElement>('input, textarea, select') ?? null;

const hasFocus = (popup: HTMLElement | null) => popup?.contains(document.activeElement) === true;

function focusInput(form: HTMLElement | null): void {
  if (!hasFocus(form)) inputIn(form)?.focus();
}

const isFocusable = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLElement && element.isConnected && element !== document.body;

/** A dialog without changes closes, whatever has changed on the page below it. */
const closeAsking = (isDirty: boolean, onClose: () => void) => (isDirty ? leave(onClose) : onClose());

/** A modal dialog: it traps the focus, closes with Escape, and restores the focus afterwards. */
export function Dialog({ title, onClose, children, kind = 'dialog', isDirty = false, tools }: DialogProps): ReactNode {
  useUnsaved(isDirty);
  const popup = useRef<HTMLDivElement>(null);
  const [focusedBefore] = useState(() => document.activeElement);
  // In the same turn as the click: the library moves the focus later, and keys until then would go to the page below.
  const focusNow = useCallback((element: HTMLDivElement | null) => {
    popup.current = element;
    (inputIn(element) ?? element?.querySelector<HTMLElement>('.overlay-foot button'))?.focus();
  }, []);
  return (
    <Base.Root
      open={true}
      onOpenChange={(isOpen) => {
        if (!isOpen) closeAsking(isDirty, onClose);
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          ref={focusNow}
          className={kind}
          // The first input instead of the button that closes.
          initialFocus={() => inputIn(popup.current) ?? !hasFocus(popup.current)}
          // A menu that opened the dialog is gone by then.
          finalFocus={() => (isFocusable(focusedBefore) ? focusedBefore : true)}
        >
          <div className="overlay-head">
            <Base.Title>{title}</Base.Title>
            {tools}
            <Base.Close render={<IconButton icon={X} label={texts.close} />} />
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface DialogFormProps {
  readonly onSubmit: () => unknown;
  readonly children: ReactNode;
  /** Buttons, which stay visible while the content scrolls. */
  readonly foot: ReactNode;
  /** Called when the user enters something. */
  readonly onInput?: () => void;
}

/** Content of a dialog: a form with its buttons. */
export function DialogForm({ onSubmit, children, foot, onInput }: DialogFormProps): ReactNode {
  return (
    <form
      // The dialog may have opened before the form was loaded.
      ref={focusInput}
      className="overlay-form"
      onInput={onInput}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        // A dialog inside another form must not submit both.
        event.stopPropagation();
        onSubmit();
      }}
    >
      <div className="overlay-body">{children}</div>
      <div className="overlay-foot">{foot}</div>
    </form>
  );
}

interface FormDialogProps extends Omit<DialogProps, 'children' | 'tools' | 'isDirty'> {
  readonly submit: string;
  readonly onSubmit: () => unknown;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** A dialog with a form and the buttons Cancel and `submit`. Closing asks once the user has entered something. */
export function FormDialog(props: FormDialogProps): ReactNode {
  const { submit, onSubmit, isDisabled = false, children, ...dialog } = props;
  const [isDirty, setDirty] = useState(false);
  return (
    <Dialog {...dialog} isDirty={isDirty}>
      <DialogForm
        onSubmit={onSubmit}
        onInput={() => setDirty(true)}
        foot={
          <>
            <Button onClick={() => closeAsking(isDirty, dialog.onClose)}>{texts.cancel}</Button>
            <Button type="submit" kind="primary" disabled={isDisabled}>
              {submit}
            </Button>
          </>
        }
      >
        {children}
      </DialogForm>
    </Dialog>
  );
}

/** Keeps a key from the page behind a cover. Chromium closes a modal dialog at the second Escape. */
function keepFromPage(event: KeyboardEvent): void {
  event.stopPropagation();
  if (event.key === 'Escape') event.preventDefault();
}

/** Covers the whole page, including open dialogs, until it unmounts. */
export function Cover({ children }: { readonly children: ReactNode }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    addEventListener('keydown', keepFromPage, { capture: true });
    return () => {
      removeEventListener('keydown', keepFromPage, { capture: true });
      current?.close();
    };
  }, []);
  // Open dialogs hide their siblings, but only those that were there before.
  return createPortal(
    <dialog ref={dialog} className="cover" aria-label={texts.signIn.title} onCancel={(event) => event.preventDefault()}>
      {children}
    </dialog>,
    document.body,
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly about: string;
  /** Text that the user must type to confirm; absent: none. */
  readonly typed?: string | undefined;
  /** Label of the button; default: the title. */
  readonly submit?: string;
  /** Shown below the text. */
  readonly children?: ReactNode;
  readonly act: (presence: PresenceOptions) => Promise<unknown>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Confirmation of a destructive action. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { title, about, typed, submit = title, children, act, onDone, onClose } = props;
  const [text, setText] = useState('');
  const { isBusy, error, field, run } = useFreshAction(onDone);
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        onSubmit={() => run(act)}
        foot={
          <>
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button type="submit" kind="danger" disabled={isBusy || (typed !== undefined && text !== typed)}>
              {submit}
            </Button>
          </>
        }
      >
        <p>{about}</p>
        {children}
        {typed !== undefined && <Field label={texts.name} value={text} onChange={setText} autoComplete="off" />}
        {field}
        <Failure error={error} />
      </DialogForm>
    </Dialog>
  );
}
